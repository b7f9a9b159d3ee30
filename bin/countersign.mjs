#!/usr/bin/env node
/** Starts the built command. It exists before the build, because `npx` remembers if it finds no command. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const main = new URL('../dist/src/app/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  const build = hasPackages() ? 'npm run build' : 'npm ci && npm run build';
  process.stderr.write(
    `countersign: this clone has not been built yet. Run \`${build}\` in the clone, then this command again.\n`,
  );
  process.exitCode = 2;
}

/** True if the packages are installed. Without these packages, there is no compiler for the build. */
function hasPackages() {
  try {
    return createRequire(import.meta.url).resolve('typescript/package.json') !== '';
  } catch {
    return false;
  }
}
