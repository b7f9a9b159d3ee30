/** The Authorization header, RFC 5849 section 3.5.1. */
import type { Pair } from '../form.ts';
import { percentDecode, percentEncode } from '../percent.ts';
import { ProtocolError } from '../protocol-error.ts';
export function printAuthorization(pairs: readonly Pair[], options: { realm?: string } = {}): string {
  const parts = pairs.map(([n, v]) => `${percentEncode(n)}="${percentEncode(v)}"`);
  return `OAuth ${[...(options.realm === undefined ? [] : [`realm="${options.realm}"`]), ...parts].join(', ')}`;
}
export function parseAuthorization(value: string): { realm?: string; parameters: Pair[]; raw: Pair[] } {
  const m = /^oauth\s+(.*)$/i.exec(value.trim());
  if (m === null) throw new ProtocolError('malformed-header', 'the header does not start with OAuth');
  const raw = m[1]!.split(',').map((part): Pair => {
    const p = /^\s*([^=\s"]+)\s*=\s*"([^"]*)"\s*$/.exec(part);
    if (p === null) throw new ProtocolError('malformed-header', `"${part.trim()}" is not name="value"`);
    return [p[1]!, p[2]!];
  });
  const parameters = raw.filter(([n]) => n.toLowerCase() !== 'realm').map(([n, v]): Pair => [percentDecode(n), percentDecode(v)]);
  const realm = raw.find(([n]) => n.toLowerCase() === 'realm')?.[1];
  return { ...(realm === undefined ? {} : { realm }), parameters, raw };
}
