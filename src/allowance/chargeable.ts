/** Drawn payments as a live target may get them: a listed profile with its amount, and order ids that no other run has. Pure. */
import { createHash } from 'node:crypto';
import { isLoopback } from '../exchange/loopback.ts';
import type { AsSent } from '../scenarios/seed.ts';
import type { LiveConfig } from '../target/live-config.ts';

/** Every order id of ours starts with this and ten hexadecimal digits. */
export const ownOrder = 'cs';

/** Longest client-orderid (section 8). */
const longest = 128;

/** From this allowance on a run sends whatever it has, since room is left also where a refusal is not believed. */
export const plenty = { days: 300, payments: 600 } as const;

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
    totals: () => totals,
    // Elsewhere servers on the way may log what they refuse.
    showsSecret: isLoopback(new URL(target).host),
    hasRoom: allow['closes-day'] >= plenty.days && allow['starts-payments'].count >= plenty.payments,
  };
}

/** Another text of the same form: digits become digits, letters letters of the same case; everything else stays. */
export function reletter(text: string, place: string): string {
  const stream = createHash('sha512').update(`${place} ${text}`).digest();
  const other = (first: string, size: number, at: number) =>
    String.fromCharCode(first.charCodeAt(0) + (stream[at % stream.length]! % size));
  return [...text]
    .map((character, at, all) => {
      if (all[at - 1] === '%' || all[at - 2] === '%') return character;
      if (/[1-9]/.test(character)) return other('1', 9, at);
      // An exponent and leading zeros are what such an edge is about.
      if (/e/i.test(character) && /\d/.test(all[at - 1] ?? '')) return character;
      if (/[a-z]/.test(character)) return other('a', 26, at);
      if (/[A-Z]/.test(character)) return other('A', 26, at);
      return character;
    })
    .join('');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
