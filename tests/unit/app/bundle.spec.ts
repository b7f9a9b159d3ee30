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

for (const { input, treeshake, output } of configs) {
  const name = typeof input === 'string' ? input : Object.keys(input!)[0];
  test(`a call that is made only to see whether it throws stays in the bundle of ${name}`, async () => {
    const plugins = [{ name: 'source', resolveId: (id: string) => id, load: () => source }];
    const bundle = await rolldown({ input: 'source', treeshake, plugins });
    const { minify } = output as { minify: boolean | object };
    const [{ code }] = (await bundle.generate({ format: 'iife', name: 'bundled', minify })).output;
    expect(runInNewContext(`${code}; ['%C3%A9', '%C3500'].map(bundled.isEscaped).join()`)).toBe('true,false');
  });
}
