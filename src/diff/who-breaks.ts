/** The matrix of clients and changes in words: the terminal and Markdown print the same. */
import type { AskedClient, ClientReading, Impact } from './difference.ts';
import { counted } from './verdict.ts';

export interface WhoBreaks {
  readonly title: string;
  /** What each number at the head of the table stands for. */
  readonly answers: readonly { readonly number: string; readonly text: string }[];
  /** Numbers of answers; those that every client reads have no column. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Why, for each client that breaks or is unverified, and what was not asked. May quote a subject. */
  readonly reasons: readonly string[];
}

/** Columns that a terminal has room for. */
const mostColumns = 6;

export function whoBreaks({ answers, answersLeftOut, clients, requests }: Impact): WhoBreaks {
  const isOpen = answers.map((_, at) => clients.some(({ readings }) => readings[at]!.is !== 'reads it'));
  const open = [...answers.keys()].filter((at) => isOpen[at]);
  const shown = open.slice(0, mostColumns);
  const broken = clients.filter(({ readings }) => readings.some(({ is }) => is === 'breaks'));
  const unverified = clients.filter(({ readings }) => readings.some(({ is }) => is === 'unverified'));
  const hidden = open.length - shown.length;
  return {
    title: `Who breaks: ${broken.length} of ${counted(clients.length, 'client')}${unverified.length === 0 ? '' : `, ${unverified.length} not verified everywhere`}`,
    answers: shown.map((at) => ({ number: String(at + 1), text: answerInWords(answers[at]!) })),
    head: shown.map((at) => String(at + 1)),
    rows: clients.map(({ name, readings }) => [name, ...shown.map((at) => readings[at]!.is)]),
    reasons: [
      ...clients.flatMap((client) => reasonsOf(client)),
      ...(open.length === answers.length
        ? []
        : [`Read by all clients: ${counted(answers.length - open.length, 'kind')} of answers of NEW`]),
      ...(hidden === 0
        ? []
        : [`${counted(hidden, 'further kind')} of answers that somebody does not read: --json has them all`]),
      ...(answersLeftOut === 0
        ? []
        : [`${counted(answersLeftOut, 'further kind')} of answers were given to no client`]),
      `What the clients send: unverified, ${requests.reason}`,
    ],
  };
}

function answerInWords({ operation, changes, class: worst, seen }: Impact['answers'][number]): string {
  const [first, ...others] = changes;
  const times = counted(seen.times, 'exchange');
  if (first === undefined) return `${operation}, in the form of OLD (${times})`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${operation}: ${first}${more} (${worst}, ${times})`;
}

/** The same reason is given once, with the numbers of all that it is true of. */
function reasonsOf({ name, readings }: AskedClient): string[] {
  const told = new Map<string, number[]>();
  for (const [at, reading] of readings.entries()) {
    const why = whyNot(reading);
    if (why !== undefined) told.set(why, [...(told.get(why) ?? []), at + 1]);
  }
  return [...told].map(([why, numbers]) =>
    numbers.length === readings.length ? `${name}: ${why}` : `${name}, ${numbersInWords(numbers)}: ${why}`,
  );
}

function whyNot(reading: ClientReading): string | undefined {
  if (reading.is === 'reads it') return undefined;
  if (reading.is === 'unverified') return `unverified, ${reading.reason}`;
  const { answered, expected, read, exchange, oldExchange } = reading;
  return `breaks, reads ${read} in place of ${expected} where exchange ${exchange} of NEW is ${answered}, and reads exchange ${oldExchange} of OLD`;
}

function numbersInWords(numbers: readonly number[]): string {
  return numbers.length > 4 ? `${numbers[0]} and ${numbers.length - 1} more` : numbers.join(', ');
}
