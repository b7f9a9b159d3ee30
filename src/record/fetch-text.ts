/** HTTP requests to other programs, with limits on time and size. */
import { tlsReason } from './errors.ts';

/** Returns the text of an answer. Throws Error with a message for users if the answer is missing or unusable. */
export async function fetchText(
  url: string,
  init: RequestInit,
  { limitMs, maxMegabytes }: { readonly limitMs: number; readonly maxMegabytes: number },
): Promise<{ readonly status: number; readonly text: string }> {
  const started = performance.now();
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(limitMs), redirect: 'error' });
    const remainingMs = Math.max(1, limitMs - (performance.now() - started));
    return { status: response.status, text: await readText(response, remainingMs, maxMegabytes) };
  } catch (cause) {
    throw new Error(describe(cause, limitMs, maxMegabytes), { cause });
  }
}

/** A message for users. The messages of fetch are for programmers, and may quote a header with a secret. */
function describe(cause: unknown, limitMs: number, maxMegabytes: number): string {
  const { cause: inner } = cause as { cause?: unknown };
  const error = ((inner instanceof Error ? inner : cause) ?? {}) as NodeJS.ErrnoException;
  const { name = '', code = '', message = '' } = error;
  if (name === tooLong) return `the answer is longer than ${maxMegabytes} MB`;
  if (name === tooLate) return `no complete answer arrived within ${limitMs / 1000} s`;
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return 'the answer is not HTTP/1.1';
  if (message === 'bad port') return 'Node.js does not connect to this port';
  if (message === 'unexpected redirect') return 'the answer redirects to another address';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS connection failed (${tlsReason(inner) ?? code})`;
  // These codes come from zlib, brotli and zstd.
  if (/^(?:Z|ERR_|ZSTD)_/.test(code)) return 'the answer is not compressed as its Content-Encoding says';
  return reasons[code] ?? `the connection failed (${code || name})`;
}

const closed = 'the connection was closed before the end of the answer';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the name server does not know the host name',
  EAI_AGAIN: 'the name server does not answer',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter or longer than its Content-Length',
};

const tooLate = 'TimeoutError';
const tooLong = 'TooLong';

async function readText({ body }: Response, limitMs: number, maxMegabytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  let fault: string | undefined;
  let length = 0;
  const stop = (reason: string) => {
    fault = reason;
    void reader?.cancel().catch(() => {});
  };
  // The signal of fetch may no longer work while a slow body arrives, so the body has its own timer.
  const timer = setTimeout(() => stop(tooLate), limitMs);
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      chunks.push(read.value);
      length += read.value.length;
      if (length > maxMegabytes * 1024 ** 2) stop(tooLong);
    }
  } finally {
    clearTimeout(timer);
  }
  if (fault !== undefined) throw Object.assign(new Error(fault), { name: fault });
  return Buffer.concat(chunks).toString('utf8');
}
