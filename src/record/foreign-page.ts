/** Whether a request to a server of this machine comes from a page of another site: over a foreign name (DNS rebinding), or forged (CSRF). */
import { isLoopback } from './loopback.ts';

/** The parts of a request that a browser sets and a page cannot. */
export interface Approach {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Known {
  /** Authority of a public URL, where one was given: the one name that is allowed besides those of loopback. */
  readonly publicHost?: string;
  /** Content types of programs, which name no origin. */
  readonly types: readonly string[];
}

/** `name`: the server is not known under the Host that it names. `site`: another site sends it. `type`: it names neither a site nor a
 * content type of programs. Undefined where none is so. */
export function foreignPage(
  { method, headers }: Approach,
  { publicHost, types }: Known,
): 'name' | 'site' | 'type' | undefined {
  const host = text(headers.host);
  if (!isLoopback(host) && host !== publicHost?.toLowerCase()) return 'name';
  if (method === 'GET' || method === 'HEAD') return undefined;
  // Browsers name the origin of every POST; behind a proxy its scheme may be another one.
  const { origin } = headers;
  if (origin !== undefined) return [`http://${host}`, `https://${host}`].includes(text(origin)) ? undefined : 'site';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? undefined : 'site';
  return types.includes(text(headers['content-type']).split(';')[0]!.trim()) ? undefined : 'type';
}

function text(value: string | readonly string[] | undefined): string {
  return String(value ?? '').toLowerCase();
}
