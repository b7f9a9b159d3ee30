// Reports a long as a JSON number, which most languages round.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) =>
    send({
      ...result(message),
      outcome: 'completed',
      decoded: { kind: 'finished', gates: [{ gateId: 12345678901 }] },
    }),
});
