// Is busy with a case and says so, and never comes to its end.
import { setTimeout as pause } from 'node:timers/promises';
import { adapt, send } from './skeleton.mjs';

await adapt({
  case: async ({ id }) => {
    send({ t: 'log', text: 'at work' });
    for (let i = 0; i < 2; i++) {
      await pause(20);
      send({ t: 'progress', id });
    }
  },
});
