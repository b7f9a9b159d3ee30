/** Drawn payments as a live target may get them: a listed profile with its amount, and order ids that no other run has. Pure. */
import { createHash } from 'node:crypto';
import type { AsSent } from '../../plan/seed.ts';
import { isLoopback } from '../../record/loopback.ts';
import type { LiveConfig } from '../target/live-config.ts';

/** Every order id of ours starts with this and ten hexadecimal digits. */
export const ownOrder = 'cs';

/** Longest client-orderid (section 8). */
const longest = 128;

/** From this allowance on a run sends whatever it has, since room is left also where a refusal is not believed. */
export const plenty = { days: 500, payments: 800 } as const;

/** `place` is the run and the scenario: the same place gives the same payments, another one other order ids. */
export function chargeable(
  { recurring: profiles, totals, target, allow }: Pick<LiveConfig, 'recurring' | 'totals' | 'target' | 'allow'>,
  place: string,
): AsSent {
  let count = 0;
  return {
    payment: ([order = '', id = '', amount = '']) => {
      const profile = profiles[count % Math.max(profiles.length, 1)] ?? { id, amount };
      count += 1;
      const mark = `${ownOrder}${hashOf(`${place} ${count}`).slice(0, 10)}-`;
      // What could be taken for a delimiter would make the worst that a batch can do harder to read.
      const text = `${mark}${order.replace(/[;,"\t|]/g, '-')}`.slice(0, longest).replace(/ $/, 'A');
      return [text, profile.id, profile.amount];
    },
    orderId: (text) => reletter(text, place),
    isFresh: (text) => formsOf(text) >= manyForms,
    totals: () => totals,
    // Elsewhere servers on the way may log what they refuse.
    showsSecret: isLoopback(new URL(target).host),
    hasRoom: allow['closes-day'] >= plenty.days && allow['starts-payments'].count >= plenty.payments,
  };
}

/** Of so many forms two runs hardly ever draw the same. */
const manyForms = 1_000_000;

/** How many texts `reletter` may make of one. */
function formsOf(text: string): number {
  const places = isOneRepeated(text) ? 1 : text.length;
  return [...text].slice(0, places).reduce((product, _, at, all) => product * sizeAt(all, at), 1);
}

/** Another text of the same form: digits become digits, letters letters of the same case; everything else stays. */
export function reletter(text: string, place: string): string {
  const stream = createHash('sha512').update(`${place} ${text}`).digest();
  const isOne = isOneRepeated(text);
  return [...text]
    .map((character, at, all) => {
      const size = sizeAt(all, at);
      const first = size === 9 ? '1' : /[a-z]/.test(character) ? 'a' : 'A';
      if (size === 1) return character;
      return String.fromCharCode(first.charCodeAt(0) + (stream[(isOne ? 0 : at) % stream.length]! % size));
    })
    .join('');
}

/** How many characters may stand in place of that one. */
function sizeAt(all: readonly string[], at: number): number {
  const character = all[at]!;
  if (all[at - 1] === '%' || all[at - 2] === '%') return 1;
  if (/[1-9]/.test(character)) return 9;
  // An exponent and leading zeros are what such an edge is about.
  if (/e/i.test(character) && /\d/.test(all[at - 1] ?? '')) return 1;
  if (at === 1 && all[0] === '0' && /x/i.test(character)) return 1;
  if (isInKeptWord(all.join(''), at)) return 1;
  return /[A-Za-z]/.test(character) ? 26 : 1;
}

/** Words that a firewall may look for, as parts of an id between hyphens: an edge is about them, and its digits differ. */
function isInKeptWord(text: string, at: number): boolean {
  const words = text.matchAll(/(?<=^|-)(?:or|union|select|drop)(?=-|$)/g);
  return [...words].some(({ index, 0: word }) => index <= at && at < index + word.length);
}

/** One character again and again stays so: it is what such an edge is about. */
function isOneRepeated(text: string): boolean {
  return /^(.)\1+$/u.test(text);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
