/** Every error class has a union of codes, and each code is used. */

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

  test(`${name} declares its codes as a union of literals`, () => {
    expect(['Error', 'CodedError']).toContain(base);
    expect(codes.length, path).toBeGreaterThan(1);
    expect(codes.filter((code) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(code))).toEqual([]);
  });

  test(`${name} has no unused code`, () => {
    const unthrown = codes.filter(
      (code) =>
        !product.some((file) => {
          // Remove the declaration of the union, because it does not use the code.
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

/** The source text of the union: an exported type, or a part of the class. */
function unionOf(text: string, name: string): string {
  const exported = new RegExp(`export type ${name}Code =[^;]+;`).exec(text)?.[0];
  return exported ?? /(?:readonly code: |extends CodedError<)[\s|]*'[^;>]+[;>]/.exec(text)?.[0] ?? '';
}
