/** Explains wrong signatures of a client, and predicts which requirements would pass without the mistakes. Pure. */
import { type Autopsy, autopsyKeys, explainMany, type ManyAutopsies } from '../autopsy/autopsy.ts';
import { credentialOf, readEvidence } from '../autopsy/facts.ts';
import { candidatesFor, languages } from '../autopsy/index.ts';
import { encodings } from '../autopsy/readings.ts';
import { percentEncode, sign, type VerifyingKey } from '../protocol/index.ts';
import type { Case, ClientCase } from '../record/case.ts';
import type { Exchange, Header, SentRequest } from '../record/exchange.ts';
import type { Cause, Counterfactual, Explanation, Result, ResultRow } from '../record/result/result.ts';
import { publishedCredentials } from '../run/target/published.ts';
import type { JudgedRow } from './causes.ts';
import type { Evidence, WrongSignatures } from './evidence.ts';

/** The requirement on correct signatures. `affected` matches this one, and others that a wrong signature may break. */
export const verifyId = 'authentication/signature-verifies';
const affected = /^authentication\/(?:signature-verifies|signature-base64|uri-[a-z-]+|(?:close-day|recurring)-method)$/;

/** Explains failed requirements by deviations in signatures. `judgeAgain` judges the run with other evidence. */
export function findingsOnSignatures(
  rows: readonly ResultRow[],
  evidence: Evidence,
  judgeAgain: (evidence: Evidence) => readonly ResultRow[],
): Required<Pick<Result, 'causes'>> & Pick<Result, 'counterfactuals'> & { readonly rows: readonly ResultRow[] } {
  const failing = rows.filter(({ id, outcome }) => outcome === 'fail' && affected.test(id));
  const numbers = [...new Set(failing.flatMap(({ exchanges }) => exchanges))];
  const signatures = numbers.length === 0 ? undefined : evidence.signatures?.(numbers);
  if (signatures === undefined) return { rows, causes: [] };
  const counterfactuals = counterfactualsOf(signatures, rows, judgeAgain);
  return {
    rows: rows.map((row) => addExplanations(row, signatures)),
    causes: causesOfSignatures(signatures, failing),
    counterfactuals: counterfactuals.length === 0 ? undefined : counterfactuals,
  };
}

/** If a requirement would pass with correct signatures, names the wrong signatures as the cause of its failure. */
export function blameSignatures(judged: JudgedRow, row: ResultRow, [all]: readonly Counterfactual[] = []): JudgedRow {
  if (row.id === verifyId && row.explanations?.some(({ deviations }) => deviations.length > 0)) return { row };
  if (row.id === verifyId || all?.wouldPass.includes(row.id) !== true) return { ...judged, row };
  return { row, blocker: { text: 'the signatures are wrong', mayBreak: [verifyId], exchanges: row.exchanges } };
}

function addExplanations(row: ResultRow, { autopsies }: WrongSignatures): ResultRow {
  if (row.id !== verifyId || row.outcome !== 'fail') return row;
  const own = new Set(row.exchanges);
  const explanations = autopsies.explained
    .filter(({ numbers }) => numbers.some((number) => own.has(number)))
    .map((one) => explanationOf(one.example, one.exampleNumber, one.alternatives));
  const first = autopsies.unexplained.find((number) => own.has(number));
  if (first && autopsies.unexplainedExample) explanations.push(explanationOf(autopsies.unexplainedExample, first, []));
  return explanations.length === 0 ? row : { ...row, explanations };
}

function explanationOf(
  { deviations, dialects, facts, triedCount, baseString, signedBaseString }: Autopsy,
  exchange: number,
  alternatives: readonly (readonly string[])[],
): Explanation {
  return {
    exchange,
    deviations: deviations.map(({ id, summary, fix, snippet }) => ({ id, summary, fix, snippet })),
    alternatives: alternatives.length === 0 ? undefined : alternatives,
    dialects: dialects?.map(({ library }) => library),
    facts: facts.map(({ text }) => text),
    triedCount,
    baseStrings: signedBaseString === undefined ? undefined : { right: baseString, signed: signedBaseString },
  };
}

function causesOfSignatures({ autopsies }: WrongSignatures, failing: readonly ResultRow[]): Cause[] {
  const failedIn = new Map(failing.map(({ id, exchanges }) => [id, new Set(exchanges)]));
  const isJudged = (number: number) => failedIn.get(verifyId)?.has(number) === true;
  const unexplained = autopsies.unexplained.filter(isJudged);
  const unsearched = autopsies.unsearched.filter(isJudged).length;
  const count = autopsies.explained.reduce((sum, { numbers }) => sum + numbers.length, 0) + unexplained.length;
  const causeOf = (numbers: readonly number[], phrase: string, deviations: readonly string[]): Cause => {
    const own = numbers.filter(isJudged).length;
    // Some of these requests may pass `verifyId` and fail only other requirements. If so, the sentence says this.
    const others =
      own === 0 || own === numbers.length ? '' : `: ${own} fail ${verifyId}, the others fail only other requirements`;
    return {
      outcome: 'fail',
      sentence: `${phrase} ${numbers.length} of ${count} wrong signatures that are judged${others}`,
      requirements: [...failedIn].flatMap(([id, failed]) => (numbers.some((number) => failed.has(number)) ? [id] : [])),
      exchanges: numbers,
      deviations,
    };
  };
  const causes = autopsies.explained.map(({ ids, alternatives, numbers }) => ({
    ...causeOf(numbers, `${ids.join(' + ')} ${ids.length === 1 ? 'explains' : 'explain'}`, ids),
    alternatives: alternatives.length === 0 ? undefined : alternatives,
  }));
  if (unexplained.length === 0) return causes;
  const unexplainedCause = causeOf(unexplained, 'nothing explains', []);
  const [untested, how] =
    causes.length === 0
      ? [unexplained.length - unsearched, 'searched']
      : [unsearched, 'tested only for deviations that explain other signatures'];
  const triedText = unsearched === 0 ? '' : `; ${untested} of them ${untested === 1 ? 'was' : 'were'} ${how}`;
  return [...causes, { ...unexplainedCause, sentence: `${unexplainedCause.sentence}${triedText}` }];
}

function counterfactualsOf(
  signatures: WrongSignatures,
  rows: readonly ResultRow[],
  judgeAgain: (evidence: Evidence) => readonly ResultRow[],
): Counterfactual[] {
  const all = [...new Set(signatures.autopsies.explained.flatMap(({ ids }) => ids))];
  const single = all.map((id) => [id]);
  const failing = rows.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  const combinations = all.length > 1 ? [all, ...single] : single;
  return combinations.map((deviations): Counterfactual => {
    const { evidence, signedAgain, notSignedAgain } = signatures.undo(deviations);
    const outcomes = new Map(judgeAgain(evidence).map(({ id, outcome }) => [id, outcome]));
    const wouldPass = failing.filter((id) => outcomes.get(id) === 'pass');
    const remain = failing.filter((id) => outcomes.get(id) === 'fail');
    const open = failing.filter((id) => !wouldPass.includes(id) && !remain.includes(id));
    return {
      deviations,
      failing: failing.length,
      wouldPass,
      remain,
      wouldBeOpen: open.length === 0 ? undefined : open,
      signedAgain: signedAgain.length,
      notSignedAgain: notSignedAgain || undefined,
    };
  });
}

type KeysOf = (consumerKey: string) => readonly VerifyingKey[] | undefined;

export function explainSignatures(
  numbers: readonly number[],
  cases: readonly Case[],
  keysOf: KeysOf,
  language?: string,
): ManyAutopsies {
  const name = language?.toLowerCase() ?? '';
  const match = languages.find((one) => one === (languageAliases[name] ?? name));
  const requests = numbers.flatMap((number) => {
    const { request } = cases[number - 1]!.exchanges[0];
    const consumerKey = credentialOf(request, 'oauth_consumer_key') ?? '';
    const keys = keysOf(consumerKey);
    return keys === undefined ? [] : [{ number, request, keys: autopsyKeys(consumerKey, keys) }];
  });
  return explainMany(requests, match);
}

/** Signs calls again without the deviations `ids`. In calls with further ones, corrects only the signature's form. */
export function undoDeviations(
  ids: readonly string[],
  { explained }: ManyAutopsies,
  calls: readonly ClientCase[],
  cases: readonly Case[],
  keysOf: KeysOf,
) {
  const requests = new Map<Exchange, SentRequest>();
  const numbers: number[] = [];
  let notSignedAgain = 0;
  for (const group of explained) {
    const undone = group.ids.filter((id) => ids.includes(id));
    if (undone.length === 0) continue;
    const isWhole = undone.length === group.ids.length;
    const form = isWhole ? undefined : encodings.find(({ id }) => id !== undefined && undone.includes(id));
    if (!isWhole && form === undefined) continue;
    for (const number of group.numbers) {
      const [exchange] = cases[number - 1]!.exchanges;
      const keys = keysOf(credentialOf(exchange.request, 'oauth_consumer_key') ?? '') ?? [];
      const request = correctSignature(exchange.request, keys, form);
      if (request !== undefined) requests.set(exchange, request);
      if (isWhole && request !== undefined) numbers.push(number);
      if (isWhole && request === undefined) notSignedAgain += 1;
    }
  }
  const corrected = calls.map((call) => ({
    ...call,
    exchanges: call.exchanges.map((exchange) => {
      const request = requests.get(exchange);
      return request === undefined ? exchange : { ...exchange, request };
    }),
  }));
  return { calls: corrected, signedAgain: numbers, notSignedAgain };
}

const languageAliases: Readonly<Record<string, string>> = {
  javascript: 'node',
  typescript: 'node',
  kotlin: 'java',
  'c#': 'csharp',
};

/** Signs a request again. With `form`, corrects only the form of its signature. Undefined if this is impossible. */
function correctSignature(request: SentRequest, keys: readonly VerifyingKey[], form?: (typeof encodings)[number]) {
  const evidence = readEvidence(request);
  if (evidence.signature === undefined) return undefined;
  if (form !== undefined) {
    const bytes = form.read(evidence.signature.value);
    return bytes && withSignature(request, bytes.toString('base64'));
  }
  const key = keys.find(({ method }) => method === evidence.credential('oauth_signature_method'));
  if (key === undefined) return undefined;
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const baseString = candidatesFor(evidence, { consumerKey, consumerSecret: '', tokenSecret: '' }).baseString([]);
  if (key.method === 'HMAC-SHA1') return withSignature(request, sign(baseString, key));
  const { publicKeyPem, privateKey } = publishedCredentials().credentials;
  const pem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  if (pem.trim() !== publicKeyPem.trim()) return undefined;
  return withSignature(request, sign(baseString, { method: 'RSA-SHA256', privateKey }));
}

function withSignature(request: SentRequest, signature: string): SentRequest {
  const { credentialsIn } = readEvidence(request);
  const text = percentEncode(signature);
  const replaceIn = (form: string) => form.replace(/(^|[?&])oauth_signature=[^&]*/, `$1oauth_signature=${text}`);
  if (credentialsIn === 'query') return { ...request, target: replaceIn(request.target) };
  if (credentialsIn === 'body') {
    const body = Buffer.from(replaceIn(Buffer.from(request.body).toString('latin1')), 'latin1');
    return { ...request, body };
  }
  const headers = request.headers.map(
    ([name, value]): Header =>
      /^authorization$/i.test(name)
        ? [name, value.replace(/(\boauth_signature[ \t]*=[ \t]*)("[^"]*"|[^,]*)/i, `$1"${text}"`)]
        : [name, value],
  );
  return { ...request, headers };
}
