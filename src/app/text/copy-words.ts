/** What is said of a copy beside its report: what became of signatures and verdicts, and what was not replaced. */
import type { Rekeyed } from '../../extras/rekey/rekey-recordings.ts';

/** The keys that were given; one that was not is absent. */
interface KeysAtHand {
  readonly consumerSecret?: unknown;
  readonly publicKey?: unknown;
}

/** The sentences of `countersign rekey` on the copy that it made. Without `keys` the published ones are enough. */
export function toldOfCopy(
  { signed, unsearched }: Pick<Rekeyed, 'signed' | 'unsearched'>,
  different: readonly string[],
  keys?: KeysAtHand | '',
): string[] {
  const { right, unsigned } = signed;
  const sentences = [
    `${right} ${right === 1 ? 'request verifies' : 'requests verify'} again; with their fault again: ${signed['same-fault']}; without a signature: ${unsigned}.`,
  ];
  const wrong = signed['other-fault'];
  if (wrong > 0) {
    const were = wrong === 1 ? '1 signature was' : `${wrong} signatures were`;
    sentences.push(
      `${were} wrong in a way that could not be made again: ${wrong === 1 ? 'it is' : 'they are'} wrong, and random.`,
    );
    if (keys) sentences.push(...toldOfKeys(right + signed['same-fault'], keys));
  }
  if (unsearched > 0) {
    sentences.push(
      `For ${unsearched} signatures not every fault was tried, since eight earlier ones of the same consumer in a row had no explanation: they stay wrong all the same, and may lose the name of their fault.`,
    );
  }
  sentences.push(
    different.length === 0
      ? 'Every requirement has the outcome that it had.'
      : `These requirements have another outcome than in the original: ${different.join(', ')}.`,
  );
  sentences.push(`Not replaced: ${remaining}. Read the copy before you publish it.`);
  return sentences;
}

/** A key that is missing, or another one than that of the recording, makes right signatures wrong ones. */
function toldOfKeys(explained: number, { consumerSecret, publicKey }: KeysAtHand): string[] {
  if (consumerSecret === undefined) return [withoutKey('--consumer-secret-file', 'HMAC-SHA1')];
  if (publicKey === undefined) return [withoutKey('--public-key-file', 'RSA-SHA256')];
  if (explained > 0) return [];
  return [
    'No signature belongs to the keys that were given. Check --consumer-secret-file and --public-key-file: with other keys right signatures become wrong ones.',
  ];
}

function withoutKey(option: string, method: string): string {
  return `Those of ${method} count as wrong, since ${option} was not given. Give it where right ones are to stay right.`;
}

/** As docs/sharing-evidence.md lists it. */
const remaining =
  'amounts and counts, names of people and of foreign hosts in texts, times in other forms than those of HTTP, ISO 8601 and ' +
  'gateCloseDate, fractions of a second, names of programs and their versions, the first digits of ids that begin like 2^53, ' +
  '2^63 or 2^64, what appears only under an encoding, how many ids there are and which are equal';
