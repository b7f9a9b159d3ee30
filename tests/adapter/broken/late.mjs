// Answers one case after its deadline.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) =>
    setTimeout(() => send(result(message)), message.endpoint_id === '666' ? message.deadline_ms + 150 : 0),
});
