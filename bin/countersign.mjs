#!/usr/bin/env node
/** The command. It is there before the first build too: `npx` in a clone keeps what it found at its first call. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const main = new URL('../dist/src/app/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  const build = hasPackages() ? 'npm run build' : 'npm ci && npm run build';
  process.stderr.write(
    `countersign: this clone has not been built yet. Run \`${build}\` in it, then the same command again.\n`,
  );
  process.exitCode = 2;
}

/** Without them the build would say only that it finds no compiler. */
function hasPackages() {
  try {
    return createRequire(import.meta.url).resolve('typescript/package.json') !== '';
  } catch {
    return false;
  }
}
