/** Signed calls to a mock that was started with --json, and files for tests. */
import type { KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { signRequest } from '../../../src/protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../../src/protocol/oauth/signature.ts';
import type { Started } from './run-command.ts';

/** The first line of `countersign mock --json`. */
export interface Ready {
  readonly baseUrl: string;
  readonly publicUrl?: string;
  readonly controlUrl?: string;
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly consumerSecretFile: string;
  readonly privateKeyFile?: string;
  readonly caFile?: string;
}

/** Waits for the first line of a mock. */
export async function readyLine(mock: Started): Promise<Ready> {
  return JSON.parse((await mock.until('out', /^\{.*\}(?=\n)/))[0]);
}

/** Sends a close-day request. By default it is signed with the secret of the mock and for the URL of the mock. */
export function closeDay(ready: Ready, consumerSecret?: string, signedUrl?: string) {
  const key: SigningKey = {
    method: 'HMAC-SHA1',
    consumerSecret: consumerSecret ?? readFileSync(ready.consumerSecretFile, 'utf8'),
  };
  return send(ready, 'v2/close-day', [['day_close_request_id', '902B4FF5']], key, signedUrl);
}

let nonces = 0;

/** Sends a signed request. `operation`: the path between /api/ and the endpoint id. */
export async function send(
  ready: Ready,
  operation: string,
  body: Pair[],
  key: SigningKey,
  signedUrl = ready.baseUrl,
): Promise<{ status: number; text: string }> {
  nonces += 1;
  const path = `/api/${operation}/${ready.endpointId}`;
  const url = new URL(signedUrl + path);
  const { authorization } = signRequest(
    { method: 'POST', scheme: url.protocol.slice(0, -1), host: url.host, target: url.pathname, body },
    { consumerKey: ready.consumerKey, key },
    { timestamp: String(Math.floor(Date.now() / 1000)), nonce: `nonce${nonces}` },
  );
  const response = await fetch(ready.baseUrl + path, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: encodeForm(body),
  });
  return { status: response.status, text: await response.text() };
}

/** Writes a file for a test, and returns its path. */
export function file(path: string, content: string | Buffer): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A HAR file of another tool with one exchange. `more`: further members of the log. */
export function foreignHar(more: object = {}): string {
  const request = { method: 'POST', url: 'https://gateway.example/api/v2/close-day/1', headers: [], bodySize: 0 };
  const response = { status: 403, statusText: '', headers: [], content: { size: 0, mimeType: 'x' }, bodySize: 0 };
  const entry = { startedDateTime: '2024-01-01T12:00:00.000Z', time: 1, request, response };
  return JSON.stringify({
    log: { version: '1.2', creator: { name: 'a browser', version: '1' }, entries: [entry], ...more },
  });
}

/** SPKI PEM of a public key. */
export function pem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}
