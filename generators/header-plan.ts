/** An Authorization header to be printed: everything but the signature, which is made over these parameters. */

export interface HeaderPlan {
  readonly scheme: string;
  /** Between the scheme and the first parameter. */
  readonly space: string;
  readonly separator: string;
  readonly equals: string;
  readonly quote: '"' | '';
  /** How values are percent-encoded: `raw-signature` leaves the signature alone, `lower-case-hex` writes %2b. */
  readonly escape: 'once' | 'twice' | 'raw-signature' | 'lower-case-hex';
  /** The text into which the signer's base64 is turned. */
  readonly signatureForm: 'base64' | 'url-safe' | 'without-padding' | 'wrapped' | 'hexadecimal' | 'empty';
  /** In header order, decoded. The value of oauth_signature is a place only: `printHeader` fills it. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** What a generated header does otherwise than the right one: key, time and nonce are only known when it is sent. */
export type HeaderChange = (right: HeaderPlan) => HeaderPlan;

/** The parameters to be signed: those of the plan without realm and oauth_signature (RFC 5849 section 3.4.1.3.1). */
export function signedParameters(plan: HeaderPlan): readonly (readonly [string, string])[] {
  return plan.parameters.filter(([name]) => name !== 'realm' && name !== 'oauth_signature');
}

export function finalParameters(plan: HeaderPlan, signature: string): readonly (readonly [string, string])[] {
  return plan.parameters.map(([name, value]) =>
    name === 'oauth_signature' ? [name, inForm(signature, plan.signatureForm)] : [name, value],
  );
}

export function printHeader(plan: HeaderPlan, signature: string): string {
  const printed = finalParameters(plan, signature).map(([name, value]) => {
    const printable =
      name === 'oauth_signature' && plan.escape === 'raw-signature' ? value : escaped(value, plan.escape);
    return `${name}${plan.equals}${plan.quote}${printable}${plan.quote}`;
  });
  return plan.scheme + plan.space + printed.join(plan.separator);
}

function inForm(signature: string, form: HeaderPlan['signatureForm']): string {
  switch (form) {
    case 'base64':
      return signature;
    case 'url-safe':
      return signature.replaceAll('+', '-').replaceAll('/', '_');
    case 'without-padding':
      return signature.replace(/=+$/, '');
    case 'wrapped':
      return `${signature.slice(0, 20)}\n${signature.slice(20)}`;
    case 'hexadecimal':
      return Buffer.from(signature, 'base64').toString('hex');
    case 'empty':
      return '';
  }
}

function escaped(text: string, how: HeaderPlan['escape']): string {
  const once = encoded(text);
  if (how === 'twice') return encoded(once);
  return how === 'lower-case-hex' ? once.replace(/%../g, (triplet) => triplet.toLowerCase()) : once;
}

/** RFC 5849 section 3.6: encodeURIComponent, and the five characters that it leaves alone. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!*'()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
