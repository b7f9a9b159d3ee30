/** Why a signature is wrong, in one line for a log: the autopsy with a search that a server can afford. */
import { type AutopsyKeys, autopsy, isTooLong, readEvidence } from '../../autopsy/index.ts';
import type { SentRequest } from '../../record/exchange.ts';

/** Whoever waits for an answer must not wait for a deep search: the autopsy command searches deeper. */
const quickSearch = { depth: 2, deep: 0, work: 40_000_000 };

/** What was found, with what to do; undefined where nothing gives exactly these bytes. */
export function explainSignature(request: SentRequest, keys: AutopsyKeys): string | undefined {
  // Nothing but the right signature is computed of it, which says nothing of a mistake.
  if (isTooLong(readEvidence(request))) return undefined;
  const { deviations, alternatives = [] } = autopsy(request, keys, { limits: quickSearch });
  if (deviations.length === 0) return undefined;
  const alike = alternatives.map((ids) => ids.join(' + ')).join('; ');
  const others = alike === '' ? [] : [`These give the same bytes: ${alike}.`];
  return [...deviations.map(({ id, summary, fix }) => `${summary} (${id}) ${fix}`), ...others].join(' ');
}
