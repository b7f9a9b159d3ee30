/** What a run does not rule out, in the words of all reports. Pure. */
import { countedWord } from '../record/counted-word.ts';
import type { Unnoticed } from '../record/result/result.ts';

/** One sentence without its full stop: `This run would not notice 136 of 209 known defects of a gateway, …`. */
export function unnoticedInWords({ side, of, count, notKnown }: Unnoticed): string {
  const some = count === 0 ? `This run would notice ${of - notKnown.length}` : `This run would not notice ${count}`;
  const rest = notKnown.length === 0 ? '' : `; of ${notKnown.length} more that is not known`;
  return `${some} of ${of} known defects of a ${side ?? 'gateway'}${rest}`;
}

/** What to allow, and what a run with it would bring, for each offer. */
export function allowancesInWords({ allowances }: Unnoticed): { readonly flags: string; readonly brings: string }[] {
  return allowances.map(({ kind, allow, set, more, effects, aboutSeconds }) => ({
    flags: set ?? allow.map((value) => `--allow ${value}`).join(' '),
    brings: `would notice ${more} more${costInWords(effects)} in about ${duration(aboutSeconds)}${notes[kind]}`,
  }));
}

function costInWords(effects: number | undefined): string {
  if (effects === undefined) return '';
  return effects === 0 ? ' without a further effect,' : ` for ${countedWord(effects, 'further effect')} at worst,`;
}

const notes: Readonly<Record<Unnoticed['allowances'][number]['kind'], string>> = {
  more: '',
  setting: ', with that in the configuration',
  whole: ': a whole run',
  plenty: ': a whole run with all further faults',
};

/** `close-day, signing: 12`, and so on. */
export function groupInWords({ operation, dimension, defects }: Unnoticed['groups'][number]): string {
  return `${operation === 'both' ? 'both operations' : operation}, ${dimension}: ${defects.length}`;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
