// Ends without an answer where nobody left a sign yet that it was asked before.
import { existsSync, writeFileSync } from 'node:fs';
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    if (existsSync(process.env.SIGN)) return send(result(message));
    writeFileSync(process.env.SIGN, '');
    process.exit(0);
  },
});
