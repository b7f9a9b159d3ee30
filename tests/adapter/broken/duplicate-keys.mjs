// Names a member twice.
import { adapt } from './skeleton.mjs';

await adapt({
  case: (message) =>
    console.log(`{"t":"result","id":"${message.id}","outcome":"completed","outcome":"transport_error"}`),
});
