/** Why signatures of a client are wrong: the autopsy of the requests that failed, in the form in which a report has it. Pure. */
import { type Autopsy, type AutopsyKeys, autopsy, credentialOf, languages } from '../autopsy/index.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { VerifyingKey } from '../protocol/index.ts';
import type { Explanation } from '../result/result.ts';

/** Requests that are examined of one row: further ones mostly say the same again. */
const mostExamined = 3;

/** One explanation for each different outcome among the first requests; `numberOf` gives the exchange's number. */
export function explainSignatures(
  exchanges: readonly { readonly exchange: Exchange; readonly number: number }[],
  keysOf: (consumerKey: string) => readonly VerifyingKey[] | undefined,
  language?: string,
): Explanation[] {
  const known = languages.find((one) => one === languageNames[language?.toLowerCase() ?? '']);
  const told = new Map<string, Explanation>();
  for (const { exchange, number } of exchanges.slice(0, mostExamined)) {
    const keys = keysFor(exchange, keysOf);
    if (keys === undefined) continue;
    const found = autopsy(exchange.request, keys, known === undefined ? {} : { language: known });
    const key = found.deviations.map(({ id }) => id).join(' ');
    if (!told.has(key)) told.set(key, explanationOf(found, number));
  }
  return [...told.values()];
}

/** The names that adapters give their languages. */
const languageNames: Readonly<Record<string, string>> = {
  node: 'node',
  javascript: 'node',
  typescript: 'node',
  python: 'python',
  php: 'php',
  java: 'java',
  kotlin: 'java',
  ruby: 'ruby',
  go: 'go',
  'c#': 'csharp',
  csharp: 'csharp',
};

/** The autopsy without its base strings, which the evidence of the exchange has. */
export function explanationOf(found: Autopsy, exchange: number): Explanation {
  const { deviations, alternatives, dialects, facts, triedCount } = found;
  return {
    exchange,
    deviations: deviations.map(({ id, summary, fix, snippet }) => ({
      id,
      summary,
      fix,
      ...(snippet === undefined ? {} : { snippet }),
    })),
    ...(alternatives === undefined ? {} : { alternatives }),
    ...(dialects === undefined ? {} : { dialects: dialects.map(({ library }) => library) }),
    facts: facts.map(({ text }) => text),
    triedCount,
  };
}

function keysFor(
  { request }: Exchange,
  keysOf: (consumerKey: string) => readonly VerifyingKey[] | undefined,
): AutopsyKeys | undefined {
  const keys = keysOf(credentialOf(request, 'oauth_consumer_key') ?? '');
  if (keys === undefined) return undefined;
  const parts = keys.map((key) =>
    key.method === 'HMAC-SHA1' ? { consumerSecret: key.consumerSecret } : { publicKey: key.publicKey },
  );
  return Object.assign({}, ...parts);
}
