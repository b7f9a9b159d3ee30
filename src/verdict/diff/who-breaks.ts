/** The matrix of clients and changes in words: the terminal and Markdown print the same. */
import { countedWord } from '../../record/counted-word.ts';
import type { AskedClient, ClientReading, Impact, TakenRequests } from './difference.ts';

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

/** What a client is asked: how it reads a kind of answer, or what becomes of its requests for an operation. */
interface Column {
  readonly text: string;
  /** Undefined for a client that sends no such request. */
  readonly of: (client: AskedClient) => ClientReading | TakenRequests | undefined;
}

export function whoBreaks(impact: Impact): WhoBreaks {
  const { answersLeftOut, clients, requests } = impact;
  const columns = columnsOf(impact);
  const isKept = (reading: ClientReading | TakenRequests | undefined) =>
    reading === undefined || reading.is === 'reads it';
  const open = [...columns.keys()].filter((at) => clients.some((client) => !isKept(columns[at]!.of(client))));
  const shown = open.slice(0, mostColumns);
  const those = (wanted: string) =>
    clients.filter((client) => columns.some(({ of }) => of(client)?.is === wanted)).length;
  const unverified = those('unverified');
  const hidden = open.length - shown.length;
  const read = columns.length - open.length;
  return {
    title: `Who breaks: ${those('breaks')} of ${countedWord(clients.length, 'client')}${unverified === 0 ? '' : `, ${unverified} not verified everywhere`}`,
    answers: shown.map((at) => ({ number: String(at + 1), text: columns[at]!.text })),
    head: shown.map((at) => String(at + 1)),
    rows: clients.map((client) => [client.name, ...shown.map((at) => columns[at]!.of(client)?.is ?? 'sends none')]),
    reasons: [
      ...clients.flatMap((client) => reasonsOf(client, columns)),
      ...(read === 0 ? [] : [`Read by all clients: ${countedWord(read, 'kind')} of answers of NEW`]),
      ...(hidden === 0
        ? []
        : [`${countedWord(hidden, 'further kind')} of answers that somebody does not read: --json has them all`]),
      ...(answersLeftOut === 0
        ? []
        : [`${countedWord(answersLeftOut, 'further kind')} of answers were given to no client`]),
      ...(requests.is === 'sent' ? [] : [`What the clients send: unverified, ${requests.reason}`]),
    ],
  };
}

/** Those of requests come first: whoever is refused reads no answer. */
function columnsOf({ answers, clients, requests }: Impact): Column[] {
  const sent = [...new Set(clients.flatMap((client) => client.requests ?? []).map(({ operation }) => operation))];
  return [
    ...sent.sort().map(
      (operation): Column => ({
        text: `requests for ${operation}, sent again to ${requests.is === 'sent' ? requests.to : 'NEW'}`,
        of: (client) => client.requests?.find((one) => one.operation === operation),
      }),
    ),
    ...answers.map((answer, at): Column => ({ text: answerInWords(answer), of: ({ readings }) => readings[at] })),
  ];
}

function answerInWords({ operation, changes, class: worst, seen }: Impact['answers'][number]): string {
  const [first, ...others] = changes;
  const times = countedWord(seen.times, 'exchange');
  if (first === undefined) return `${operation}, in the form of OLD (${times})`;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${operation}: ${first}${more} (${worst}, ${times})`;
}

/** The same reason is given once, with the numbers of all that it is true of. */
function reasonsOf(client: AskedClient, columns: readonly Column[]): string[] {
  const { name } = client;
  const told = new Map<string, number[]>();
  for (const [at, { of }] of columns.entries()) {
    const reading = of(client);
    const why = reading && whyNot(reading);
    if (why !== undefined) told.set(why, [...(told.get(why) ?? []), at + 1]);
  }
  return [...told].map(([why, numbers]) =>
    numbers.length === columns.length ? `${name}: ${why}` : `${name}, ${numbersInWords(numbers)}: ${why}`,
  );
}

function whyNot(reading: ClientReading | TakenRequests): string | undefined {
  if (reading.is === 'reads it') return undefined;
  const taken =
    'of' in reading ? `NEW took ${reading.accepted} of its ${countedWord(reading.of, 'right request')}` : '';
  if (reading.is === 'accepted')
    return reading.accepted === reading.of ? undefined : `accepted, ${taken}; the others were not sent`;
  if (reading.is === 'unverified') return `unverified, ${reading.reason}`;
  if ('of' in reading) {
    const { exchange, answered } = reading;
    return `breaks, exchange ${exchange} of its run was right, and NEW answers ${answered} twice; it accepts the same values as the suite writes them. ${taken}`;
  }
  const { answered, expected, read, exchange, oldExchange } = reading;
  return `breaks, reads ${read} in place of ${expected} where exchange ${exchange} of NEW is ${answered}, and reads exchange ${oldExchange} of OLD`;
}

function numbersInWords(numbers: readonly number[]): string {
  return numbers.length > 4 ? `${numbers[0]} and ${numbers.length - 1} more` : numbers.join(', ');
}
