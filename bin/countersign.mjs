#!/usr/bin/env node
/** The command. It is there before the first build too: `npx` in a clone keeps what it found at its first call. */
import { existsSync } from 'node:fs';

const main = new URL('../dist/src/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write(
    'countersign: this clone has not been built yet. Run `npm run build` in it, then the same command again.\n',
  );
  process.exitCode = 2;
}
