/** Every error family has one class, a union of codes, a hint for people and the cause. */

import { RequestTextError } from '../../src/autopsy/request-text.ts';
import { CertificateError } from '../../src/extras/certificate/envelope.ts';
import { DeskError } from '../../src/extras/desk/state.ts';
import { MatrixError } from '../../src/extras/matrix/store.ts';
import { BrokerError } from '../../src/extras/pact/broker.ts';
import { MockError } from '../../src/mock/mock-error.ts';
import { AdapterError } from '../../src/peer/adapter/channel.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';
import { DiskError } from '../../src/record/errors.ts';
import { HarError } from '../../src/record/har.ts';
import { LiveError } from '../../src/run/allowance/ledger.ts';
import { UsageError } from '../../src/run/options/usage-error.ts';
import { LeakError } from '../../src/run/secrets/secret.ts';
import { ShardError } from '../../src/verdict/recordings/merge-shards.ts';
import { expect, test } from '../engine.ts';
import { typeScriptFiles } from './tree.ts';

const cause = new Error('the first cause');

/** One error of each family. A family that is missing here fails below. */
const families: Readonly<Record<string, Error & { code: string; hint?: string }>> = {
  AdapterError: new AdapterError('no-ready', 'message', 'hint', cause),
  BrokerError: new BrokerError('refused', 'message', 'hint', cause),
  CertificateError: new CertificateError('other-key', 'message', 'hint', cause),
  DeskError: new DeskError('bad-public-key', 'message', 'hint', cause),
  DiskError: new DiskError('report-folder', 'message', 'hint', cause),
  HarError: new HarError('bad-entry', 'message', 'hint', cause),
  LiveError: new LiveError('in-use', 'message', 'hint', cause),
  LeakError: new LeakError('secret-in-file', 'message', 'hint', cause),
  MatrixError: new MatrixError('unknown-id', 'message', 'hint', cause),
  MockError: new MockError('port-in-use', 'message', 'hint', cause),
  ProtocolError: new ProtocolError('not-a-key', 'message', { hint: 'hint', cause }),
  RequestTextError: new RequestTextError('no-host', 'message', 'hint', cause),
  ShardError: new ShardError('foreign', 'message', 'hint', cause),
  UsageError: new UsageError('message', 'hint', cause),
};

const product = typeScriptFiles().filter(({ path }) => /^(?:src|schemas|generators|contracts)\//.test(path));

const classes = product.flatMap(({ path, text }) =>
  [...text.matchAll(/(?<!abstract )\bclass (\w+) extends (\w*Error)\b/g)].map((match) => ({
    path,
    text,
    name: match[1]!,
    base: match[2]!,
  })),
);

test('every error class of the product is among the families of this test', () => {
  expect(classes.map(({ name }) => name).sort()).toEqual(Object.keys(families).sort());
});

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

  test(`${name} carries name, code, message, hint and cause`, () => {
    const error = families[name]!;
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, message: 'message', hint: 'hint', cause });
    expect(codes).toContain(error.code);
    expect(error.stack).toContain('errors.spec.ts');
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
