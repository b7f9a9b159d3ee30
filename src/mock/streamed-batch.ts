/** A batch that is hashed, decoded and checked as it arrives, so that its size costs neither memory nor the time of other requests. */
import { decodeForm } from '../protocol/form.ts';
import { queryOf } from '../protocol/oauth/base-string-uri.ts';
import { collectParameters } from '../protocol/oauth/collect-parameters.ts';
import { aroundPayload, newPayloadReader } from '../protocol/oauth/long-payload.ts';
import { newCsvScan } from './csv-scan.ts';
import { type Received, readOAuth, route, type StreamedBatch } from './received.ts';
import type { MockSettings } from './settings.ts';
import { profileIsActive, type World } from './state.ts';

/**
 * Bytes of a body that are kept beside what is read of them. Only a body with further fields needs them: it is decided as a whole. In
 * a longer one these are found too late; its signature is taken for wrong, as it is refused with the same answer in any case.
 */
export const keptBytes = 1024 * 1024;

/** What takes a body as it arrives. */
export interface BatchStream {
  /** Takes a chunk, and says whether the body is kept so far. */
  readonly push: (chunk: Uint8Array) => boolean;
  readonly isKept: () => boolean;
  /** After the last chunk; undefined where the body that was kept has to be decided as a whole. */
  readonly end: () => StreamedBatch | undefined;
}

/**
 * A stream for a request to the gateway that nothing alters; undefined for any other than a batch.
 * A listed profile is looked up when its row arrives, not when the batch is decided.
 */
export function openBatchStream(
  request: Received,
  world: World,
  { prefix }: MockSettings,
  now: number,
): BatchStream | undefined {
  if (request.method !== 'POST' || route(request.target, prefix)?.operation !== 'process-recurring-payments') return;
  const around = signedAround(request);
  if (around === undefined) return undefined;
  const anyProfile = world.profiles.size === 0 && world.unlistedProfilesExist;
  const scan = newCsvScan(anyProfile ? undefined : (id) => profileIsActive(world, id, now));
  const reader = newPayloadReader(around, scan.push);
  let length = 0;
  let isKept = true;
  return {
    push: (chunk) => {
      length += chunk.length;
      if (reader.push(chunk) && length > keptBytes) isKept = false;
      return isKept;
    },
    isKept: () => isKept,
    end: () => {
      const read = reader.end();
      if (read === undefined && isKept) return undefined;
      const { broken, payments, ...facts } = scan.end();
      return {
        form: [['payload', read?.empty ? '' : 'streamed']],
        batch: { strictBase64: read?.strictBase64 ?? false, ...facts, scan: { broken, payments } },
        verifies: (signature, key) =>
          read !== undefined &&
          around[0] !== '' &&
          key.method === 'RSA-SHA256' &&
          reader.verifies(Buffer.from(signature, 'base64'), key.publicKey),
      };
    },
  };
}

/** The base string around the payload; two empty texts where the URL is not usable, so that no signature is right. */
function signedAround(request: Received): readonly [string, string] | undefined {
  const authorization = readOAuth(request).pairs;
  try {
    const query = decodeForm(queryOf(request.target));
    return aroundPayload(request, collectParameters({ authorization, body: [], query }));
  } catch {
    return ['', ''];
  }
}
