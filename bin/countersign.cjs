#!/usr/bin/env node
/** Starts the built command. It exists before the build, because `npx` remembers if it finds no command. */
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'src', 'app', 'main.cjs');
if (existsSync(main)) {
  require(main);
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
    return require.resolve('typescript/package.json') !== '';
  } catch {
    return false;
  }
}
