/** Judges if a client depends on its environment: time zone and locale must not change the request for an input. */
import type { Operation } from '../../../contracts/operations.ts';
import { prerequisitesOf } from '../../../contracts/requirements/index.ts';
import type { ClientCase } from '../../record/case.ts';
import { groupBy } from '../../record/group-by.ts';
import { type ClientJudge, type Finding, fail, inconclusive, pass, type Verdict } from '../judge.ts';
import { readCsv } from './batch.ts';
import { readRequest } from './reading.ts';

/** Compares each environment with the ordinary one. Inconclusive if repeated calls in one environment differ. */
export function environmentIndependent(operation: Operation): ClientJudge {
  return ({ id, cases }) => {
    const because = { text: 'another requirement fails in that environment', mayBreak: prerequisitesOf(id) };
    const permuted = cases.filter(({ label, call }) => label.operation === operation && call.label.permutation);
    return [...groupBy(permuted, ({ call: { label } }) => label.permutation!.group).values()]
      .flatMap(judgeGroup)
      .map((one) => (one.finding.outcome === 'fail' ? { ...one, finding: { ...one.finding, because } } : one));
  };
}

function judgeGroup(cases: readonly ClientCase[]): Verdict<ClientCase>[] {
  const environments = groupBy(cases, ({ call: { label } }) => label.permutation!.environment);
  const ordinary = [...environments.entries()].find(([name, [first]]) => name === 'ordinary' || isOrdinary(first!));
  if (ordinary === undefined) return [];
  return [...environments.entries()]
    .filter(([name]) => name !== ordinary[0])
    .map(([name, others]) => {
      const testCase = others[0]!;
      const exchange = testCase.exchanges[0];
      const finding = compare(ordinary[1], others, name);
      return exchange === undefined ? { testCase, finding } : { testCase, exchange, finding };
    });
}

function isOrdinary({ call: { asked } }: ClientCase): boolean {
  return asked !== undefined && Object.keys(asked.environment ?? {}).length === 0;
}

function compare(ordinary: readonly ClientCase[], others: readonly ClientCase[], name: string): Finding {
  if (ordinary.length < 2 || others.length < 2) return inconclusive('a round is missing');
  const missing = [...ordinary, ...others].find((testCase) => traitsOf(testCase) === undefined);
  if (missing !== undefined) return requestMissing(missing, name);
  const expectedRounds = ordinary.map((testCase) => traitsOf(testCase)!);
  const rounds = others.map((testCase) => traitsOf(testCase)!);
  const uneven = unevenRounds(expectedRounds, 'the ordinary environment') ?? unevenRounds(rounds, name);
  if (uneven !== undefined) return uneven;
  const difference = clearestDifference(expectedRounds[0]!, rounds[0]!);
  // A client may decline an unusual input, in all environments or only in some.
  const mayDecline = ordinary[0]!.call.label.input === 'hardening';
  if (difference === undefined) {
    if (expectedRounds[0]!.get('the request') === 'sent') return pass();
    const remark = 'the client declined the input in every environment';
    return mayDecline ? { outcome: 'not-applicable', remark } : inconclusive(remark, 'configuration');
  }
  const [trait, expected, actual] = difference;
  if (trait === 'the request' && mayDecline) {
    return { outcome: 'not-applicable', remark: `the client declines an unusual input under ${name}` };
  }
  return fail(`${trait} ${expected}`, `${actual} under ${name}`);
}

function requestMissing({ call: { adapterFault, reply } }: ClientCase, name: string): Finding {
  const isAtFault = adapterFault !== undefined || reply?.outcome === 'adapter_error' || reply?.outcome === 'completed';
  const reason = adapterFault?.message ?? reply?.reason;
  const actual = `a request is missing in a round of ${name}`;
  return inconclusive(reason === undefined ? actual : `${actual}: ${reason}`, isAtFault ? 'subject' : 'environment');
}

function unevenRounds(rounds: readonly Traits[], environment: string): Finding | undefined {
  const uneven = rounds.map((traits) => clearestDifference(rounds[0]!, traits)).find((found) => found !== undefined);
  return uneven && inconclusive(`${uneven[0]} differs between two rounds in ${environment}`, 'subject');
}

type Traits = ReadonlyMap<string, string>;

function traitsOf({ exchanges, call: { reply } }: ClientCase): Traits | undefined {
  const [exchange] = exchanges;
  if (exchange === undefined) {
    const declined = reply?.outcome === 'refused_locally' || reply?.outcome === 'unsupported';
    return declined ? new Map([['the request', reply.outcome]]) : undefined;
  }
  const { header, form, payload } = readRequest(exchange);
  const sent = header?.parameters ?? [];
  const csv = payload?.bytes;
  const fields = form.pairs.filter(({ name }) => csv === undefined || name !== 'payload');
  return new Map([
    ['the request', 'sent'],
    ['the header', asText(sent.filter(({ name }) => !changesInEachRequest(name)))],
    ['the names in the header', String(sent.map(({ name }) => name).sort()).replaceAll(',', ' ')],
    ['the body', form.kind === 'form' ? asText(fields) : exchange.request.body.join(' ')],
    ...(csv === undefined ? [] : [['the CSV', normalizedCsv(csv)] as const]),
  ]);
}

/** The document leaves quotes and the order of rows and columns open (A12). */
function normalizedCsv(csv: Uint8Array): string {
  const { delimiter, charsetFaults, rows } = readCsv(csv);
  const [header = []] = rows;
  const lines = rows.map((row) => asText(row.map(({ text }, at) => ({ name: header[at]?.text ?? '', value: text }))));
  return JSON.stringify([delimiter, ...charsetFaults, ...lines.sort()]);
}

/** Ignores case, and `ı` in place of `i`, which a client with a Turkish locale may write. */
function changesInEachRequest(name: string): boolean {
  return ['oauth_nonce', 'oauth_timestamp', 'oauth_signature'].includes(name.replaceAll('\u0131', 'i').toLowerCase());
}

function asText(pairs: readonly { readonly name: string; readonly value: string }[]): string {
  return pairs
    .map(({ name, value }) => `${name}=${value}`)
    .sort()
    .join('&');
}

/** Prefers `the request`, then the last differing trait, which is the most specific one. */
function clearestDifference(a: Traits, b: Traits): readonly [trait: string, a: string, b: string] | undefined {
  const differing = [...new Set([...a.keys(), ...b.keys()])].filter((trait) => a.get(trait) !== b.get(trait));
  const trait = differing.includes('the request') ? 'the request' : differing.at(-1);
  return trait === undefined ? undefined : [trait, a.get(trait) ?? 'absent', b.get(trait) ?? 'absent'];
}
