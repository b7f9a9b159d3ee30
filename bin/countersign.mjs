#!/usr/bin/env node
/** Starts the built command. `npx` in a clone needs this file before the first build: it remembers what it finds. */
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

/** Without the packages, the build would only report that the compiler is missing. */
function hasPackages() {
  try {
    return createRequire(import.meta.url).resolve('typescript/package.json') !== '';
  } catch {
    return false;
  }
}
