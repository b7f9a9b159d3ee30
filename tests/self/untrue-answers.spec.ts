/** Gateways that act and say something else: what they did is never more than terminal and report state as the worst. */
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { textReport } from '../../src/report/text.ts';
import type { Result } from '../../src/result/result.ts';
import { runLive, startLive } from './live-setting.ts';

test.describe.configure({ timeout: 120_000 });

const little = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };

interface Counters {
  closedDays: number;
  payments: number;
  cents: number;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
}

interface Asked {
  readonly operation: 'close-day' | 'process-recurring-payments';
  readonly endpointId: string;
  /** What a right gateway says. */
  readonly accepted: boolean;
  readonly honest: Answer;
  /** How many requests of its operation came before. */
  readonly before: number;
}

interface Attacker {
  /** How many of the payments, or whether the day is closed. */
  readonly acts: 'always' | 'when accepted' | 'on good rows';
  readonly says: (asked: Asked) => Answer | 'reset' | 'silence';
}

const honest = ({ honest: answer }: Asked) => answer;
const refusal = ({ operation }: Asked): Answer =>
  operation === 'close-day'
    ? {
        status: 200,
        body: '{"response":{"status":"error","errorCode":"7","errorMessage":"no"},"theRequestSerialNumber":"1"}',
      }
    : { status: 403 };
const closeDayError = (code: string): Answer => ({
  status: 200,
  body: `{"response":{"status":"error","errorCode":"${code}","errorMessage":"no"},"theRequestSerialNumber":"1"}`,
});
const batchError = (type: string, code: string): Answer => ({
  status: 200,
  body: `type=${type}\n&serial-number=1\n&error-message=no\n&error-code=${code}\n`,
});
const refused = (answer: (asked: Asked) => Answer | 'reset' | 'silence') => (asked: Asked) =>
  asked.accepted ? asked.honest : answer(asked);
const accepted = (answer: (asked: Asked) => Answer | 'reset' | 'silence') => (asked: Asked) =>
  asked.accepted ? answer(asked) : asked.honest;
const errors =
  (code: string) =>
  ({ operation }: Asked) =>
    operation === 'close-day' ? closeDayError(code) : batchError('error', code);

const attackers: Readonly<Record<string, Attacker>> = {
  'is right about everything': { acts: 'when accepted', says: honest },
  'refuses as documented, and acts': { acts: 'always', says: refused(refusal) },
  'refuses with error 99, and acts': { acts: 'always', says: refused(errors('99')) },
  'refuses with error 500, and acts': { acts: 'always', says: refused(errors('500')) },
  'refuses with another status each time, and acts': {
    acts: 'always',
    // Doctor asks first, and does not begin where it finds no gateway.
    says: refused((asked) => (asked.before === 0 ? asked.honest : { status: 200 + ((asked.before * 37) % 400) })),
  },
  'refuses whatever it acts on': { acts: 'always', says: refusal },
  'answers ok to what it accepts': { acts: 'when accepted', says: accepted(() => ({ status: 200, body: 'ok' })) },
  'answers 500 to what it accepts': { acts: 'when accepted', says: accepted(() => ({ status: 500 })) },
  'redirects what it accepts': { acts: 'when accepted', says: accepted(() => ({ status: 302 })) },
  'resets the connection of what it accepts': { acts: 'when accepted', says: accepted(() => 'reset') },
  'is silent about what it accepts': { acts: 'when accepted', says: accepted(() => 'silence') },
  'starts the good rows of a batch that it refuses': { acts: 'on good rows', says: honest },
};

for (const [name, attacker] of Object.entries(attackers)) {
  test(`a gateway that ${name} does no more than the report states as the worst`, async () => {
    const { result, did } = await against(attacker);
    const worst = result.effects.ifRefusalsAreUntrue!;
    const most = { closedDays: worst['closes-day'], payments: worst['starts-payments'].count };
    expect(did.closedDays).toBeLessThanOrEqual(most.closedDays);
    expect(did.payments).toBeLessThanOrEqual(most.payments);
    expect(did.cents).toBeLessThanOrEqual(inCents(worst['starts-payments'].total));
    // Ten of each are believed, and four requests go to the endpoint that is named as unknown.
    expect(most.closedDays).toBeLessThanOrEqual(1 + 10 + 2);
    expect(most.payments).toBeLessThanOrEqual(2 + 10 + 2);
    const ledger = result.effects.ledger!;
    const { recorded, unclear } = result.effects;
    expect(recorded['closes-day'] + unclear!['closes-day']).toBe(ledger['closes-day']);
    expect(recorded['starts-payments'] + unclear!['starts-payments']).toBe(ledger['starts-payments'].count);
    const text = textReport(result, { statements: () => undefined, colour: false, width: 400 });
    expect(text).toContain(`up to closes-day ${most.closedDays}, starts-payments ${most.payments} with a total of`);
    expect(text).toContain(`closes-day ${recorded['closes-day']}`);
    if (attacker.acts === 'when accepted') {
      // Its refusals are true: the booked figure has all of it.
      expect(did.closedDays).toBeLessThanOrEqual(ledger['closes-day']);
      expect(did.payments).toBeLessThanOrEqual(ledger['starts-payments'].count);
    }
    if (name === 'is right about everything') {
      expect([did.closedDays, did.payments]).toEqual([1, 2]);
      expect([recorded['closes-day'], recorded['starts-payments']]).toEqual([1, 2]);
      expect(ledger['starts-payments'].total).toBe(`${did.payments}.00`);
    }
  });
}

async function against(attacker: Attacker): Promise<{ result: Result; did: Counters }> {
  const setting = await startLive({ allow: little, mock: { tls: undefined } });
  const did: Counters = { closedDays: 0, payments: 0, cents: 0 };
  const server = createServer((request, response) => {
    void attack(attacker, setting.mock.baseUrl, did, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/paynet`;
    const { ca: _, ...config } = setting.config;
    const result = await runLive(
      { ...config, target, deadlineMs: 300 },
      { only: ['authentication/*', 'recurring/many-rows-accepted', 'recurring/csv-row-length-enforced'] },
    );
    return { result, did };
  } finally {
    server.closeAllConnections();
    server.close();
    await setting.close();
  }
}

const seen = new WeakMap<Counters, Map<string, number>>();

async function attack(
  { acts, says }: Attacker,
  mock: string,
  did: Counters,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const right = await forward(mock, request, body);
  const place = /\/(close-day|process-recurring-payments)\/(\w+)$/.exec(request.url ?? '');
  if (place === null || request.method !== 'POST') {
    response.writeHead(right.status).end(right.body);
    return;
  }
  const operation = place[1] as Asked['operation'];
  const counts = seen.get(did) ?? seen.set(did, new Map()).get(did)!;
  const before = counts.get(operation) ?? 0;
  counts.set(operation, before + 1);
  const isAccepted = right.status === 200 && (operation !== 'close-day' || right.body.includes('finished'));
  const rows = rowsOf(body);
  const started = acts === 'on good rows' ? rows.filter((cells) => cells.length === 3) : rows;
  if (acts === 'always' || isAccepted || (acts === 'on good rows' && rows.length > 1)) {
    if (operation === 'close-day') did.closedDays += 1;
    else {
      did.payments += started.length;
      did.cents += started.reduce((sum, cells) => sum + Math.round(Number(cells[2]) * 100 || 0), 0);
    }
  }
  const answer = says({ operation, endpointId: place[2]!, accepted: isAccepted, honest: right, before });
  if (answer === 'reset') request.socket.destroy();
  else if (answer !== 'silence')
    response.writeHead(answer.status, { 'Content-Type': 'text/html;charset=utf-8' }).end(answer.body);
}

function rowsOf(body: Buffer): string[][] {
  const payload = new URLSearchParams(body.toString()).get('payload') ?? '';
  const [, ...lines] = Buffer.from(payload, 'base64').toString().split('\n');
  return lines.filter((line) => line !== '').map((line) => line.replaceAll('"', '').split(';'));
}

function forward(
  mock: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(mock);
  return new Promise((resolve, reject) => {
    const sent = ask({ hostname, port, method, path: url, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: text }));
    });
    sent.on('error', reject).end(body);
  });
}

function inCents(total: string): number {
  return Number(total.replace('.', ''));
}
