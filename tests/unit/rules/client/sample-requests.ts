/** Signed requests of a conforming client, with changes that a test chooses. */
import { createPublicKey } from 'node:crypto';
import { type Operation, pathTo } from '../../../../contracts/operations.ts';
import type { RequirementId } from '../../../../contracts/requirements/index.ts';
import { identities, publishedIdentity } from '../../../../src/mock/identity.ts';
import {
  baseString,
  baseStringUri,
  buildCloseDay,
  buildRecurring,
  collectParameters,
  encodeForm,
  normalizeParameters,
  type Pair,
  printAuthorization,
  readPrivateKey,
  type SigningKey,
  sign,
} from '../../../../src/protocol/index.ts';
import {
  type Call,
  type CallInput,
  type ClientCase,
  type ClientLabel,
  type CloseDayInput,
  clientCase,
  type RecurringInput,
} from '../../../../src/record/case.ts';
import type { Exchange, Header } from '../../../../src/record/exchange.ts';
import { wireJudges } from '../../../../src/rules/index.ts';
import type { ClientInput, Finding } from '../../../../src/rules/judge.ts';

export const now = 1_700_000_000_000;
const privateKey = readPrivateKey(publishedIdentity.privateKeyPem);
const publicKey = createPublicKey(publishedIdentity.publicKeyPem);

export const fields: CloseDayInput = {
  day_close_request_id: '902B4FF5a1',
  sale_approved_count: '2',
  sale_approved_sum: '100.00',
  reversal_approved_sum: '0.94',
};

export const batch: RecurringInput = {
  columns: ['client-orderid', 'recurring-payment-id', 'amount'],
  rows: [
    ['order ß漢 >>>;"x" ~~~???', '0000000042', '1234.50'],
    ['order-2', '1234567890', '100.00'],
  ],
};

/** The changes of a test. What is absent stays as a conforming client sends it. */
export interface Draft {
  readonly operation?: Operation;
  readonly label?: Partial<ClientLabel>;
  readonly asked?: Partial<Call['asked']> | null;
  readonly reply?: Call['reply'];
  readonly identity?: 'ordinary' | 'reserved';
  readonly input?: CallInput;
  /** The body as signed. */
  readonly pairs?: readonly Pair[];
  /** The body as sent. */
  readonly body?: string | ((body: string) => string);
  readonly csv?: (csv: string) => string | Buffer;
  readonly payload?: (payload: string) => string;
  readonly contentType?: string | null;
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly scheme?: 'http' | 'https';
  readonly parameters?: (pairs: Pair[]) => Pair[];
  readonly base?: (base: string) => string;
  /** The signature, or a change of the right one. */
  readonly signature?: string | ((signature: string) => string);
  readonly print?: (pairs: readonly Pair[]) => string;
  readonly headers?: (headers: Header[]) => Header[];
}

let count = 0;

export function sample(draft: Draft = {}): ClientCase {
  const number = count++;
  const operation = draft.operation ?? 'close-day';
  const input = draft.input ?? (operation === 'close-day' ? fields : batch);
  const asked: Call['asked'] =
    draft.asked === null
      ? undefined
      : {
          baseUrl: 'https://localhost:8443/p1',
          endpointId: '1111',
          consumerKey: (draft.identity === 'reserved' ? identities['reserved-characters'] : publishedIdentity)
            .consumerKey,
          input,
          ...draft.asked,
        };
  const exchanges = [exchangeOf(draft, operation, input, number)];
  return clientCase(
    { scenario: 'client/sample', number, exchanges },
    {
      label: { operation, input: 'mandatory', ...draft.label },
      ...(asked === undefined ? {} : { asked }),
      reply: draft.reply ?? { outcome: 'completed' },
    },
  );
}

export const closeDay = (draft: Draft = {}) => sample(draft);
export const recurring = (draft: Draft = {}) => sample({ ...draft, operation: 'process-recurring-payments' });

export function withCall(testCase: ClientCase, change: Partial<Call>): ClientCase {
  return { ...testCase, call: { ...testCase.call, ...change } };
}

/** A case without a request. */
export function unsent(reply: Call['reply'], label: Partial<ClientLabel>, draft: Draft = {}): ClientCase {
  const sent = sample({ ...draft, ...(label.operation && { operation: label.operation }), label });
  return withCall({ ...sent, exchanges: [] }, { reply });
}

function exchangeOf(draft: Draft, operation: Operation, input: CallInput, number: number): Exchange {
  const identity = draft.identity === 'reserved' ? identities['reserved-characters'] : publishedIdentity;
  const url = {
    scheme: draft.scheme ?? 'https',
    host: draft.host ?? 'localhost:8443',
    target: draft.target ?? `/p1${pathTo(operation)}1111`,
  };
  const pairs =
    draft.pairs ??
    (operation === 'close-day' ? buildCloseDay(input as CloseDayInput) : payloadOf(input as RecurringInput, draft));
  const key: SigningKey =
    operation === 'close-day'
      ? { method: 'HMAC-SHA1', consumerSecret: identity.consumerSecret }
      : { method: 'RSA-SHA256', privateKey };
  const credentials: Pair[] = [
    ['oauth_consumer_key', identity.consumerKey],
    ['oauth_signature_method', key.method],
    ['oauth_timestamp', String(now / 1000)],
    ['oauth_nonce', `nonce${number}`],
    ['oauth_version', '1.0'],
  ];
  const parameters = draft.parameters?.(credentials) ?? credentials;
  const normalized = normalizeParameters(collectParameters({ authorization: parameters, body: pairs, query: [] }));
  const base = baseString(draft.method ?? 'POST', baseStringUri(url), normalized);
  const changed = draft.signature ?? ((right: string) => right);
  const signature = typeof changed === 'string' ? changed : changed(sign(draft.base?.(base) ?? base, key));
  const printed: Pair[] = [...parameters, ['oauth_signature', signature]];
  const headers: Header[] = [
    ['Host', url.host],
    ...(draft.contentType === null
      ? []
      : [['Content-Type', draft.contentType ?? 'application/x-www-form-urlencoded'] as const]),
    ['Authorization', (draft.print ?? printAuthorization)(printed)],
  ];
  const form = encodeForm(pairs);
  const body = typeof draft.body === 'string' ? draft.body : (draft.body?.(form) ?? form);
  return {
    request: {
      method: draft.method ?? 'POST',
      ...url,
      headers: draft.headers?.(headers) ?? headers,
      body: Buffer.from(body, 'latin1'),
    },
    response: { status: 200, reason: 'OK', headers: [], body: Buffer.alloc(0) },
    startedAt: now,
    durationMs: 1,
  };
}

function payloadOf(input: RecurringInput, { csv: change, payload }: Draft): Pair[] {
  const rows = input.rows.map((cells) => cells.map((cell) => cell ?? ''));
  const { csv } = buildRecurring({ columns: input.columns, rows });
  const text = Buffer.from(change?.(csv) ?? csv).toString('base64');
  return [['payload', payload?.(text) ?? text]];
}

export const keysOf: ClientInput['keysOf'] = (consumerKey) => {
  const identity = Object.values(identities).find((one) => one.consumerKey === consumerKey);
  return (
    identity && [
      { method: 'HMAC-SHA1', consumerSecret: identity.consumerSecret },
      { method: 'RSA-SHA256', publicKey },
    ]
  );
};

type WireId = keyof typeof wireJudges;
export const wireIds = Object.keys(wireJudges) as WireId[];

export function findingsOn(id: WireId, cases: readonly ClientCase[], keys: Partial<ClientInput> = {}): Finding[] {
  return wireJudges[id]({ id: id as RequirementId, cases, keysOf, hasKeys: true, ...keys }).map(
    ({ finding }) => finding,
  );
}

/** Requirements that fail in these cases. */
export function failing(cases: readonly ClientCase[], keys: Partial<ClientInput> = {}): string[] {
  return wireIds.filter((id) => findingsOn(id, cases, keys).some(({ outcome }) => outcome === 'fail')).sort();
}

/** Requirements that pass in these cases. */
export function passing(cases: readonly ClientCase[]): string[] {
  return wireIds.filter((id) => findingsOn(id, cases).some(({ outcome }) => outcome === 'pass')).sort();
}

export function remarks(cases: readonly ClientCase[]): string[] {
  return wireIds.flatMap((id) => findingsOn(id, cases).flatMap(({ remark }) => remark ?? []));
}

export const setValue = (name: string, value: string) => (pairs: Pair[]) =>
  pairs.map(([one, old]): Pair => [one, one === name ? value : old]);

/** Changes the usual close-day fields, and signs the changed ones. */
export const edited = (change: (pairs: Pair[]) => Pair[]): Pick<Draft, 'pairs'> => ({
  pairs: change(Object.entries(fields) as Pair[]),
});
