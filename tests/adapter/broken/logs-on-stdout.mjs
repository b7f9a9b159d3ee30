// A library of it prints to standard output before every answer, once even as JSON.
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    console.log('DeprecationWarning: the old call is old');
    console.log(JSON.stringify({ level: 'info', msg: 'sending' }));
    send(result(message));
  },
});
