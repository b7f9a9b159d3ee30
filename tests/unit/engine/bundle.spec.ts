/** The build's bundles do what their sources do. */
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import configs from '../../../rolldown.config.ts';
import { expect, test } from '../../engine.ts';

const source = `
export function isEscaped(text) {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}`;

const [, ...ofCommand] = configs;

for (const { input, treeshake, output } of ofCommand) {
  test(`a call that is made only to see whether it throws stays in the bundle of ${Object.keys(input!)[0]}`, async () => {
    const plugins = [{ name: 'source', resolveId: (id: string) => id, load: () => source }];
    const bundle = await rolldown({ input: 'source', treeshake, plugins });
    const { minify } = output as { minify: false };
    const [{ code }] = (await bundle.generate({ format: 'iife', name: 'bundled', minify })).output;
    expect(runInNewContext(`${code}; ['%C3%A9', '%C3500'].map(bundled.isEscaped).join()`)).toBe('true,false');
  });
}
