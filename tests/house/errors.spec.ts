/** Every error family has one class with a union of codes, each of which is thrown. */

import { expect, test } from '../engine.ts';
import { typeScriptFiles } from './tree.ts';

const product = typeScriptFiles().filter(({ path }) => /^(?:src|schemas|generators|contracts)\//.test(path));

const classes = product.flatMap(({ path, text }) =>
  [...text.matchAll(/(?<!abstract )\bclass (\w+) extends (\w*Error)\b/g)].map((match) => ({
    path,
    text,
    name: match[1]!,
    base: match[2]!,
  })),
);

for (const { name, base, path, text } of classes) {
  const codes = codesOf(text, name);

  test(`${name} has its codes as a union of literals`, () => {
    expect(['Error', 'CodedError']).toContain(base);
    expect(codes.length, path).toBeGreaterThan(1);
    expect(codes.filter((code) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(code))).toEqual([]);
  });

  test(`${name} has no code that nothing throws`, () => {
    const unthrown = codes.filter(
      (code) =>
        !product.some((file) => {
          // In the file of the class itself the union is not a use of the code.
          const body = file.path === path ? text.replace(unionOf(text, name), '') : file.text;
          return body.includes(`'${code}'`);
        }),
    );
    expect(unthrown).toEqual([]);
  });
}

function codesOf(text: string, name: string): string[] {
  return [...unionOf(text, name).matchAll(/'([^']+)'/g)].map((match) => match[1]!);
}

/** The union of the codes as written: exported under the name of the class, or where the class says it. */
function unionOf(text: string, name: string): string {
  const exported = new RegExp(`export type ${name}Code =[^;]+;`).exec(text)?.[0];
  return exported ?? /(?:readonly code: |extends CodedError<)[\s|]*'[^;>]+[;>]/.exec(text)?.[0] ?? '';
}
