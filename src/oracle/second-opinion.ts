/** The second voice: base string and verification by libraries that are not ours, from the raw request. */
import forge from 'node-forge';
import OAuth from 'oauth-1.0a';

type Pair = readonly [string, string];
export interface RawRequest { readonly method: string; readonly scheme: string; readonly host: string; readonly target: string; readonly headers: readonly Pair[]; readonly body: Uint8Array }
export type OpinionKey = { readonly consumerSecret: string; readonly tokenSecret?: string } | { readonly publicKeyPem: string };

export function secondOpinion(request: RawRequest, key: OpinionKey): { baseString: string; verified: boolean } {
  const value = request.headers.find(([n]) => n.toLowerCase() === 'authorization')?.[1] ?? '';
  const header = [...value.matchAll(/([A-Za-z_]+)="([^"]*)"/g)].map((m): Pair => [m[1]!, decodeURIComponent(m[2]!)]);
  const body = new URLSearchParams(Buffer.from(request.body).toString('utf8'));
  const data: Record<string, string | string[]> = {};
  for (const [n, v] of [...header.filter(([n]) => n !== 'oauth_signature' && n !== 'realm'), ...body]) {
    const old = data[n];
    data[n] = old === undefined ? v : [...(Array.isArray(old) ? old : [old]), v];
  }
  const scheme = request.scheme.toLowerCase();
  const host = request.host.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  const oauth = new OAuth({ consumer: { key: '', secret: '' }, signature_method: 'HMAC-SHA1', hash_function: () => '' });
  const baseString = oauth.getBaseString({ method: request.method, url: `${scheme}://${host}${request.target.split('?')[0]}`, data }, {} as never);
  const signature = header.find(([n]) => n === 'oauth_signature')?.[1] ?? '';
  return { baseString, verified: verify(baseString, signature, key) };
}
function verify(baseString: string, signature: string, key: OpinionKey): boolean {
  try {
    if ('consumerSecret' in key) {
      const mac = forge.hmac.create();
      const enc = (t: string) => encodeURIComponent(t).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
      mac.start('sha1', `${enc(key.consumerSecret)}&${enc(key.tokenSecret ?? '')}`);
      mac.update(forge.util.encodeUtf8(baseString));
      return forge.util.encode64(mac.digest().getBytes()) === signature;
    }
    const md = forge.md.sha256.create();
    md.update(baseString, 'utf8');
    return forge.pki.publicKeyFromPem(key.publicKeyPem).verify(md.digest().getBytes(), forge.util.decode64(signature));
  } catch { return false; }
}
