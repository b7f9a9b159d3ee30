/** What is said of a copy beside its report: what became of signatures and verdicts, and what was not replaced. */
import type { Rekeyed } from '../../recordings/rekey-recordings.ts';

/** The sentences of `countersign rekey` on the copy that it made. */
export function toldOfCopy({ signed, unsearched }: Rekeyed, different: readonly string[]): string[] {
  const { right, unsigned } = signed;
  const sentences = [
    `${right} ${right === 1 ? 'request verifies' : 'requests verify'} again; with their fault again: ${signed['same-fault']}; without a signature: ${unsigned}.`,
  ];
  if (signed['other-fault'] > 0) {
    sentences.push(
      `${signed['other-fault']} signatures were wrong in a way that could not be made again: they are wrong, and random.`,
    );
  }
  if (unsearched > 0) {
    sentences.push(
      `For ${unsearched} signatures not every fault was tried, since eight earlier ones of the same consumer in a row had no explanation.`,
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

/** As docs/sharing-evidence.md lists it. */
const remaining =
  'amounts and counts, names of people and of foreign hosts in texts, times in other forms than those of HTTP, ISO 8601 and ' +
  'gateCloseDate, fractions of a second, names of programs and their versions, the first digits of ids that begin like 2^53, ' +
  '2^63 or 2^64, what appears only under an encoding, how many ids there are and which are equal';
