/** `countersign diff OLD NEW`: sends stored requests of clients to the gateway of NEW. Reports the refused requests. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeCsv, encodeCsv } from '../../protocol/csv.ts';
import { type Pair, piecesOf } from '../../protocol/form.ts';
import { formParameters, parseAuthorization, sign, unsignedSteps, verifyRequest } from '../../protocol/index.ts';
import { type ClientCase, inOrder } from '../../record/case.ts';
import { temporaryFolder } from '../../record/disk/files.ts';
import { type Exchange, type Header, headerValues, type SentRequest } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { groupByScenario, isUnsent, type Unsent } from '../../record/run.ts';
import { answerReadings, describeAnswer } from '../../rules/answers/acceptance.ts';
import { clientJudges } from '../../rules/index.ts';
import { newGuard, newPace } from '../../run/allowance/guard.ts';
import { openLedger } from '../../run/allowance/ledger.ts';
import { worstCaseOf } from '../../run/allowance/worst-case.ts';
import { buildRequest, percentEncodeLike, type Stamp } from '../../run/gateway/build-request.ts';
import { newStamp } from '../../run/gateway/perform-case.ts';
import { renewText } from '../../run/gateway/planned-cases.ts';
import { beginLive } from '../../run/live/session.ts';
import { redactorFor, secretsIn } from '../../run/secrets/secret.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { publishedKeys } from '../../run/target/published.ts';
import { centsOf, type Site, siteOf } from '../../run/target/site.ts';
import { liveTarget, mockTarget, operationPath, publishedConfig, type Target } from '../../run/target/target.ts';
import { openTransport, type Transport } from '../../run/transport/transport.ts';
import { evidenceOf } from '../../verdict/conclude.ts';
import type { ClientRequests } from '../../verdict/diff/difference.ts';

export interface ReplayTarget {
  readonly target: Target;
  /** The payments and totals that requests to the target may contain. */
  readonly config: Pick<LiveConfig, 'recurring' | 'totals'>;
  readonly site: Site;
  readonly runId: string;
  newStamp(): Stamp;
  send(request: SentRequest, what: string): Promise<Exchange | Unsent>;
}

export interface ReplayedClient {
  readonly name: string;
  readonly calls?: readonly ClientCase[];
}

type Operation = ClientRequests['operation'];

const maxRequests = 20;

/** Returns a result for each client and operation. Clients take turns, so that all get a part of a small allowance. */
export async function replayRequests(
  clients: readonly ReplayedClient[],
  target: ReplayTarget,
  signal?: AbortSignal,
): Promise<readonly (readonly ClientRequests[])[]> {
  const replays = clients.map(({ name, calls }) => {
    const stored = calls && faultlessRequests(calls);
    const operations = Object.keys(answerReadings) as Operation[];
    const tested = operations.filter((operation) => stored === undefined || stored.has(operation));
    return tested.map((operation): Replay => {
      const requests = stored?.get(operation);
      return { name, operation, requests, queue: queueOf(requests ?? [], operation, target), outcomes: [] };
    });
  });
  for (let turn = 0; turn < maxRequests; turn += 1) {
    for (const one of replays.flat()) {
      signal?.throwIfAborted();
      const next = one.queue[turn];
      if (next !== undefined) one.outcomes.push(await replay(next, one, target));
    }
  }
  return replays.map((operations) => operations.map(summarize));
}

interface Replay {
  readonly name: string;
  readonly operation: Operation;
  /** Undefined if the client has no stored run. */
  readonly requests: readonly StoredRequest[] | undefined;
  readonly queue: readonly StoredRequest[];
  readonly outcomes: Outcome[];
}

interface StoredRequest {
  readonly number: number;
  readonly request: SentRequest;
  readonly scenario: string;
}

/** Returns requests that every gateway must accept: mandatory, sent once, and without a fault. */
function faultlessRequests(unordered: readonly ClientCase[]): ReadonlyMap<Operation, readonly StoredRequest[]> {
  const calls = inOrder(unordered);
  const numberOf = new Map(calls.flatMap(({ exchanges }) => exchanges).map((exchange, at) => [exchange, at + 1]));
  const evidence = evidenceOf({ side: 'client', records: groupByScenario(calls) });
  const ids = Object.keys(clientJudges) as (keyof typeof clientJudges)[];
  const faulty = new Set(
    ids.flatMap((id) =>
      evidence.judge(id).flatMap(({ finding, exchanges }) => (finding.outcome === 'fail' ? exchanges : [])),
    ),
  );
  const found = new Map<Operation, StoredRequest[]>();
  for (const { scenario, exchanges, call } of calls) {
    const { label, incomplete } = call;
    const { operation, input, decoding, server = 'ordinary' } = label;
    const [exchange, ...repeated] = exchanges;
    const requests = found.get(operation) ?? [];
    if (exchange !== undefined) found.set(operation, requests);
    if (exchange === undefined || repeated.length > 0 || incomplete !== undefined) continue;
    const number = numberOf.get(exchange)!;
    if (input !== 'mandatory' || decoding !== undefined || server !== 'ordinary' || faulty.has(number)) continue;
    requests.push({ number, request: exchange.request, scenario });
  }
  return found;
}

function queueOf(stored: readonly StoredRequest[], operation: Operation, { site, ...place }: ReplayTarget) {
  const cost = ({ request }: StoredRequest) => {
    const adapted = adaptRequest(request, operation, place, { timestamp: '0' }, '');
    const worstCase = 'request' in adapted ? worstCaseOf(adapted.request, site) : undefined;
    if (worstCase === undefined || isUnsent(worstCase)) return 1_000_000;
    return 'count' in worstCase ? worstCase.count : 1;
  };
  const priced = stored.map((one) => ({ one, cost: cost(one) })).sort((a, b) => a.cost - b.cost);
  const scenarios = groupBy(priced, ({ one }) => one.scenario);
  const turnOf = (entry: (typeof priced)[number]) => scenarios.get(entry.one.scenario)!.indexOf(entry);
  return priced
    .map((entry) => ({ one: entry.one, turn: turnOf(entry) }))
    .sort((a, b) => a.turn - b.turn)
    .slice(0, maxRequests)
    .map(({ one }) => one);
}

type Outcome =
  | { readonly is: 'accepted' }
  | { readonly is: 'unverified'; readonly reason: string; readonly isSkipped: boolean }
  | { readonly is: 'breaks'; readonly exchange: number; readonly answered: string };

/** `breaks` means: the gateway refused the request twice, but accepted a request of the suite with the same values. */
async function replay({ request, number }: StoredRequest, client: Replay, target: ReplayTarget): Promise<Outcome> {
  const { name, operation } = client;
  const unverified = (problem: string, isSkipped = false): Outcome => {
    return { is: 'unverified', reason: `exchange ${number}: ${problem}`, isSkipped };
  };
  const attempt = (suffix: string) => {
    const idSeed = `${target.runId} ${name} ${number} ${suffix}`;
    const made = adaptRequest(request, operation, target, target.newStamp(), idSeed);
    const send = async (sent: SentRequest): Promise<Exchange | Outcome> => {
      const answer = await target.send(sent, `${name}, exchange ${number}${suffix}`);
      if (isUnsent(answer)) return unverified(`not sent: ${answer.reason}`, suffix === '');
      return answer.response === undefined ? unverified(`no answer: ${describeAnswer(answer)}`) : answer;
    };
    return { made, send };
  };
  const isAccepted = (exchange: Exchange) => answerReadings[operation].acceptance(exchange) === 'accepted';
  const first = attempt('');
  const plain = attempt(' in the form of the suite');
  const retry = attempt(' once more');
  if ('unverified' in first.made) return unverified(first.made.unverified, true);
  const answer = await first.send(first.made.request);
  if ('is' in answer) return answer;
  if (isAccepted(answer)) return { is: 'accepted' };
  if ('unverified' in plain.made || 'unverified' in retry.made) return unverified('the request cannot be sent again');
  const plan = { operation, body: plain.made.plainBody };
  const twin = await plain.send(buildRequest(plan, target.target, 'open', target.newStamp()).request);
  if ('is' in twin) return twin;
  if (!isAccepted(twin)) {
    const message = `${describeAnswer(answer)}; a request of the suite with the same values is refused too`;
    return unverified(`${message}: ${describeAnswer(twin)}`);
  }
  const repeated = await retry.send(retry.made.request);
  if ('is' in repeated) return repeated;
  if (isAccepted(repeated)) return unverified('the request was refused once and accepted once');
  return { is: 'breaks', exchange: number, answered: describeAnswer(repeated) };
}

function summarize({ operation, requests, outcomes }: Replay): ClientRequests {
  const accepted = outcomes.filter(({ is }) => is === 'accepted').length;
  const summary = { operation, of: requests?.length ?? 0, accepted };
  const broken = outcomes.find((one) => one.is === 'breaks');
  if (broken !== undefined) return { ...summary, ...broken };
  const unclear = outcomes.find((one) => one.is === 'unverified' && (accepted === 0 || !one.isSkipped));
  if (unclear?.is === 'unverified') return { ...summary, is: 'unverified', reason: unclear.reason };
  if (accepted > 0) return { ...summary, is: 'accepted' };
  const reason =
    requests === undefined ? 'the client has no stored run' : 'its run has no request that a gateway must accept';
  return { ...summary, is: 'unverified', reason };
}

/** Calls `use` with a live target, or returns a `hindrance`. Throws LiveError if the ledger is in use or invalid. */
export async function withLiveTarget<T>(
  config: LiveConfig,
  { runId, env }: { readonly runId: string; readonly env: NodeJS.ProcessEnv },
  use: (target: ReplayTarget) => Promise<T>,
): Promise<T | { readonly hindrance: string }> {
  const session = await beginLive({ runId, config }, env);
  const { rate, deadlineMs, ca } = config;
  let transport: Transport | undefined;
  let isDone = false;
  try {
    if (session.hindrance !== undefined) {
      isDone = true;
      return { hindrance: session.hindrance.reason };
    }
    const { live } = session;
    const target = await liveTarget(live.config, env);
    const opened = openTransport({ deadlineMs, ca, redactor: redactorFor(secretsIn(target.credentials)) });
    transport = opened;
    const site = siteOf(config);
    const pace = newPace({ rate, sleep });
    const guard = newGuard({ site, limits: config, ledger: openLedger(live.ledger, runId), pace });
    const send: ReplayTarget['send'] = async (request, what) => {
      const overloaded = pace.overloadReason();
      if (overloaded !== undefined) return { why: 'given-up', reason: overloaded };
      return guard.send(request, { what }, (sent) => opened.send(sent));
    };
    const result = await use({ target, config, site, runId, newStamp, send });
    isDone = true;
    return result;
  } finally {
    await transport?.close();
    session.end(isDone);
  }
}

const maxAmount = '99999999.99';
const unlimitedAllowance: LiveConfig['allow'] = {
  'closes-day': 1_000_000,
  'starts-payments': { count: 1_000_000, total: '1000000000000.00' },
};

/** Calls `use` with a temporary mock that has the defects and variants of NEW. */
export async function withMockTarget<T>(
  { defects, variants }: { readonly defects: readonly string[]; readonly variants: readonly string[] },
  runId: string,
  use: (target: ReplayTarget) => Promise<T>,
): Promise<T | { readonly hindrance: string }> {
  const mock = await mockTarget(defects, variants);
  const { path: ledger, remove } = temporaryFolder('countersign-');
  try {
    const { scheme, host, prefix } = mock.target;
    const config: LiveConfig = {
      ...publishedConfig,
      target: `${scheme}://${host}${prefix}`,
      recurring: publishedConfig.recurring.map(({ id }) => ({ id, amount: maxAmount, savedAmount: maxAmount })),
      allow: unlimitedAllowance,
      trustRefusals: 1_000_000,
      rate: 10_000,
      ledger,
    };
    return await withLiveTarget(config, { runId, env: {} }, use);
  } finally {
    await mock.close();
    remove();
  }
}

type AdaptedRequest =
  | { readonly request: SentRequest; readonly plainBody: readonly Pair[] }
  | { readonly unverified: string };

/** Replaces ids, payments and credentials in a stored request, and signs it again. Keeps how the client wrote it. */
function adaptRequest(
  sent: SentRequest,
  operation: Operation,
  { target, config }: Pick<ReplayTarget, 'target' | 'config'>,
  stamp: Pick<Stamp, 'timestamp'>,
  idSeed: string,
): AdaptedRequest {
  const verified = verifyRequest(sent, (consumerKey) => publishedKeys(consumerKey, operation));
  if (!verified.ok) return { unverified: 'the signature does not verify with the published test keys' };
  const pieces = piecesOf(sent.body).map((one) => ({ ...one, after: adaptValue(one.name, one.value, config, idSeed) }));
  const body = pieces.map(({ writtenName, writtenValue, value, after }) => {
    return `${writtenName}=${after === value ? writtenValue : percentEncodeLike(writtenValue, after)}`;
  });
  const { method } = verified;
  const { consumerKey, consumerSecret, privateKey } = target.credentials;
  const hash = createHash('sha256').update(`${idSeed} ${verified.nonce}`).digest('hex');
  const unsigned = {
    method: sent.method,
    scheme: target.scheme,
    host: target.host,
    target: `${operationPath(target, operation, target.endpoints.open ?? '')}${/(?:\?.*)?$/s.exec(sent.target)![0]}`,
    body: Buffer.from(body.join('&'), 'latin1'),
    headers: withCredentials(
      sent.headers.filter(([name]) => !omittedHeaders.test(name)),
      {
        oauth_consumer_key: consumerKey,
        oauth_timestamp: stamp.timestamp,
        oauth_nonce: `${verified.nonce.slice(0, -16)}${hash.slice(0, 16)}`,
      },
    ),
  };
  const { parameters } = parseAuthorization(headerValues(unsigned.headers, 'authorization')[0]!);
  const { baseString } = unsignedSteps({ ...unsigned, body: formParameters(unsigned) }, parameters);
  const signature = sign(baseString, method === 'HMAC-SHA1' ? { method, consumerSecret } : { method, privateKey });
  return {
    request: { ...unsigned, headers: withCredentials(unsigned.headers, { oauth_signature: signature }) },
    plainBody: pieces.map(({ name, after }): Pair => [name, name === 'payload' ? reencodePayload(after) : after]),
  };
}

function reencodePayload(payload: string): string {
  const csv = encodeCsv(decodeCsv(Buffer.from(payload, 'base64').toString('utf8')));
  return Buffer.from(csv, 'utf8').toString('base64');
}

/** Headers that are not sent again. Accept-Encoding is one of them, because it would allow a compressed answer. */
const omittedHeaders =
  /^(?:host|connection|keep-alive|proxy-.*|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding)$/i;

function withCredentials(headers: readonly Header[], values: Readonly<Record<string, string>>): Header[] {
  return headers.map(([name, value]): Header => {
    if (!/^authorization$/i.test(name)) return [name, value];
    const newValue = value.replace(/(?<=\b(oauth_\w+)=")[^"]*/g, (raw, parameter: string) =>
      values[parameter] === undefined ? raw : percentEncodeLike(raw, values[parameter]),
    );
    return [name, newValue];
  });
}

function adaptValue(name: string, value: string, { totals, recurring }: ReplayTarget['config'], idSeed: string) {
  if (name === 'day_close_request_id') return renewText(value, idSeed);
  if (name === 'payload') return adaptBatch(value, recurring, idSeed);
  const configured: Readonly<Record<string, string | undefined>> = { ...totals };
  return Object.hasOwn(configured, name) ? configured[name]! : value;
}

/** Writes the configured payments into the rows. A payload that is not canonical base64 stays unchanged. */
function adaptBatch(payload: string, recurring: LiveConfig['recurring'], idSeed: string): string {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.toString('base64') !== payload || recurring.length === 0) return payload;
  const names: string[] = [];
  let row = 0;
  let column = 0;
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^;\r\n]*))(;|\r?\n|$)/g;
  const edited = bytes.toString('latin1').replace(cell, (_, quoted: string | undefined, bare: string, end: string) => {
    const text = quoted ?? bare;
    if (row === 0) names.push(text);
    const newText = row === 0 ? text : adaptCell(names[column], text, recurring[(row - 1) % recurring.length]!, idSeed);
    if (end !== ';') row += 1;
    column = end === ';' ? column + 1 : 0;
    return `${quoted === undefined ? newText : `"${newText}"`}${end}`;
  });
  return Buffer.from(edited, 'latin1').toString('base64');
}

function adaptCell(
  column: string | undefined,
  text: string,
  { id, amount }: LiveConfig['recurring'][number],
  idSeed: string,
): string {
  if (column === 'client-orderid') return renewText(text, idSeed);
  if (column === 'recurring-payment-id') return text === '' ? text : id;
  const exceedsLimit = column === 'amount' && (centsOf(text) ?? 0) > centsOf(amount)!;
  return exceedsLimit ? amount : text;
}
