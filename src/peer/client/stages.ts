/** Artefacts of the client's steps, by the names of the adapter protocol. */
import { encodeBase64, encodeForm } from '../../protocol/index.ts';
import type { Steps } from './alteration.ts';

/** Names that the client offers in its introduction; those of bytes get `_b64` where they are reported. */
export const stageNames = [
  'csv',
  'payload',
  'body',
  'parameters',
  'normalized',
  'base_string',
  'signature',
  'authorization',
] as const;

/** Bytes in base64, the parameters as a form in the order in which they were collected, everything else unchanged. */
export function stagesOf(done: Steps): Readonly<Record<string, string>> {
  const batch: Record<string, string> =
    done.csvBytes === undefined ? {} : { csv_b64: encodeBase64(done.csvBytes), payload: done.payload };
  return {
    ...batch,
    body_b64: encodeBase64(done.body),
    parameters: encodeForm(done.parameters),
    normalized: done.normalized,
    base_string: done.baseString,
    signature: done.signature,
    authorization: done.authorization,
  };
}
