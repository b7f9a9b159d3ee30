/** Requests that are signed by another method than the operation's own, or named after one: section 5. */
import { operations } from '../../contracts/operations.ts';
import type { SignatureMethod } from '../protocol/oauth/signature.ts';
import { faultsIn } from './requests.ts';
import type { Draw, OtherMethod, PlannedCase, RequestPlan } from './scenario.ts';

const otherMethods: Readonly<Record<SignatureMethod, readonly (readonly [differsIn: string, method: OtherMethod])[]>> =
  {
    'HMAC-SHA1': [
      ["the other operation's signature method", { names: 'RSA-SHA256', signs: 'RSA-SHA256' }],
      ['HMAC-SHA256', { names: 'HMAC-SHA256', signs: 'HMAC-SHA256' }],
      ['HMAC-SHA512', { names: 'HMAC-SHA512', signs: 'HMAC-SHA512' }],
      ['RSA-SHA1', { names: 'RSA-SHA1', signs: 'RSA-SHA1' }],
      ['HMAC-SHA256 under the name HMAC-SHA1', { names: 'HMAC-SHA1', signs: 'HMAC-SHA256' }],
      ['HMAC-SHA1 under the name HMAC-SHA256', { names: 'HMAC-SHA256', signs: 'HMAC-SHA1' }],
    ],
    'RSA-SHA256': [
      ["the other operation's signature method", { names: 'HMAC-SHA1', signs: 'HMAC-SHA1' }],
      ['RSA-SHA1', { names: 'RSA-SHA1', signs: 'RSA-SHA1' }],
      ['RSA-SHA512', { names: 'RSA-SHA512', signs: 'RSA-SHA512' }],
      ['HMAC-SHA256', { names: 'HMAC-SHA256', signs: 'HMAC-SHA256' }],
      ['RSA-SHA1 under the name RSA-SHA256', { names: 'RSA-SHA256', signs: 'RSA-SHA1' }],
      ['RSA-SHA256 under the name RSA-SHA1', { names: 'RSA-SHA1', signs: 'RSA-SHA256' }],
    ],
  };

export function methodFaults(right: RequestPlan, { showsSecret }: Draw): readonly PlannedCase[] {
  const { area, signatureMethod } = operations[right.operation];
  const plaintext = ['PLAINTEXT', { names: 'PLAINTEXT', signs: 'PLAINTEXT' }] as const;
  const fault = faultsIn(right);
  const about = `authentication/${area}-other-method-refused` as const;
  const methods = [...otherMethods[signatureMethod], ...(showsSecret ? [plaintext] : [])];
  const hmac = { names: 'HMAC-SHA1', signs: 'HMAC-SHA1' } as const;
  return [
    ...methods.map(([differsIn, otherMethod]) => fault(about, differsIn, { otherMethod })),
    // A reader that takes the method from the header and the key from the consumer has published its secret.
    ...(signatureMethod === 'RSA-SHA256'
      ? [fault(about, 'HMAC-SHA1 with the public key as its secret', { otherMethod: hmac, key: 'public' })]
      : []),
  ];
}
