/** The desk in this process: correct and faulty clients, restarts, and requests of other sites. */
import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { requirementById } from '../../../../contracts/requirements/index.ts';
import { validate } from '../../../../schemas/index.ts';
import { mistakesAt } from '../../../../src/extras/desk/desk-service.ts';
import { deskSteps } from '../../../../src/extras/desk/plan.ts';
import { decodeCloseDayResponse, decodeRecurringResponse, encodeForm } from '../../../../src/protocol/index.ts';
import { readHar } from '../../../../src/record/read-har.ts';
import type { Result } from '../../../../src/record/result/result.ts';
import { casesOf } from '../../../../src/record/run.ts';
import { expect } from '../../../engine.ts';
import { privatePemOf, shopKeys } from '../../../keys/index.ts';
import { pem } from '../../app/signed-call.ts';
import { callOf, post, rowsWith, test, type View, Visitor } from './desk-visitor.ts';

const verifies = 'authentication/signature-verifies';

test('if a client follows the whole plan, no requirement fails, and the conclusion is partial', async ({ desk }) => {
  const visitor = await Visitor.arrive(desk.pageUrl);
  await visitor.follow();
  const view = await visitor.fetchView();
  expect(view.plan.map(({ state, failing }) => [state, failing])).toEqual(view.plan.map(() => ['done', []]));
  expect(view.plan.length).toBe(16);
  expect([rowsWith(view, 'fail'), rowsWith(view, 'error'), view.conclusion]).toEqual([[], [], 'partial']);
  const open = view.rows.filter((row) => row.outcome === 'inconclusive' && row.dimension !== 'response-decoding');
  expect(open.map(({ id }) => id)).toEqual([
    'close-day/environment-independent',
    'recurring/environment-independent',
    'authentication/uri-host-case',
    'authentication/uri-default-port',
    'transport/https',
  ]);
  const decoding = view.rows.filter(({ dimension }) => dimension === 'response-decoding');
  expect(decoding.length).toBeGreaterThan(10);
  expect(decoding.filter(({ outcome }) => outcome === 'pass')).toEqual([]);
});

test('if the signature omits the body, the requirement fails at each step, with the reason', async ({ visitor }) => {
  await visitor.follow({ signed: () => [] }, 3);
  const view = await visitor.fetchView();
  expect(rowsWith(view, 'fail')).toEqual([verifies]);
  expect(view.rows.find(({ id }) => id === verifies)!.exchanges).toEqual([1, 2, 3]);
  expect(view.plan.slice(0, 3).map(({ failing }) => failing)).toEqual(Array(3).fill([verifies]));
  expect(view.exchanges[0]!.causes[0]!.sentence).toContain('(body-left-out)');
  expect(view.conclusion).toBe('non-conformant');
});

test('a client may choose its request id, and a request outside the plan belongs to no step', async ({ visitor }) => {
  const own = { operation: 'close-day', pairs: [['day_close_request_id', 'MyOwnId00042']] } as const;
  await visitor.call(own);
  expect((await visitor.fetchView()).plan[0]).toMatchObject({ state: 'done', failing: [] });
  const outside = { operation: 'process-recurring-payments', pairs: [['Payload', 'IngiCjE=']] } as const;
  expect(await visitor.call(outside)).toEqual({ status: 200, body: '' });
  const view = await visitor.fetchView();
  expect(view.exchanges[0]!.step).toBeUndefined();
  expect(view.plan[1]!.state).toBe('next');
  expect(rowsWith(view, 'pass')).toContain('close-day/sale-approved-sum');
  // The desk judges this request too.
  expect(rowsWith(view, 'fail')).toContain('recurring/payload-only');
});

test('a repeated body belongs to the same step, because HTTP libraries repeat requests', async ({ visitor }) => {
  const call = callOf((await visitor.next())!);
  const first = await visitor.call(call);
  expect(await visitor.call(call)).toEqual(first);
  const view = await visitor.fetchView();
  expect(view.exchanges.map(({ step }) => step)).toEqual(['close-day-plain', 'close-day-plain']);
  expect(view.plan[1]!.state).toBe('next');
  expect(view.hazards).toEqual([
    expect.objectContaining({
      id: 'hazard/close-day-sent-again',
      exchanges: [1, 2],
      sentence: expect.stringMatching(
        /^The close-day request was sent again in 1 request, after status 200 \(\d+ s later\): 1 day may be closed again\.$/,
      ),
    }),
  ]);
});

test('a report of a person changes no outcome, and is a note in report.json', async ({ visitor }) => {
  await visitor.follow({}, 2);
  const before = await visitor.fetchView();
  await visitor.markStep('close-day-plain', 'showed');
  const view = await visitor.markStep('close-day-totals', 'did-not-show');
  expect(view.plan.slice(0, 2).map(({ reportedByPerson }) => reportedByPerson)).toEqual(['showed', 'did-not-show']);
  expect(rowsWith(view, 'pass')).toEqual(rowsWith(before, 'pass'));
  const report = await (await fetch(`${visitor.api}/report.json`)).json();
  const what = 'the expected result in close-day';
  const remarks = [`showed ${what}-plain`, `did not show ${what}-totals`];
  const notes = remarks.map((one) => `Reported by a person, not judged: the client ${one}.`);
  expect(report.notes).toEqual(expect.arrayContaining(notes));
  expect(validate('report', report)).toEqual([]);
});

test('if a repeated step is correct, its requirements pass, and the earlier request is kept', async ({ visitor }) => {
  await visitor.follow({ signed: () => [] }, 1);
  expect(rowsWith(await visitor.fetchView(), 'fail')).toEqual([verifies]);
  expect((await visitor.markStep('close-day-plain', 'repeat')).plan[0]!.state).toBe('next');
  await visitor.follow({}, 1);
  const view = await visitor.fetchView();
  expect(rowsWith(view, 'fail')).toEqual([]);
  expect(view.exchanges.map(({ number, counts }) => [number, counts])).toEqual([
    [2, true],
    [1, false],
  ]);
  await post(`${visitor.api}/restart`);
  const fresh = await visitor.fetchView();
  expect([fresh.exchangeCount, fresh.plan[0]!.state, rowsWith(fresh, 'pass')]).toEqual([2, 'next', []]);
});

test('a restart of the desk keeps credentials, exchanges, steps and reports of a person', async ({ folder }) => {
  const first = await folder.open();
  const visitor = await Visitor.arrive(first.pageUrl);
  await visitor.follow({}, 4);
  await visitor.markStep('close-day-plain', 'showed');
  const before = await visitor.fetchView();
  await first.close();
  const second = await folder.open();
  const after = (await (await fetch(`${second.pageUrl}/api/engagements/${before.id}`)).json()) as View;
  await second.close();
  expect(second.remarks).toEqual([]);
  expect({ ...after, baseUrl: '' }).toEqual({ ...before, baseUrl: '' });
  expect(statSync(folder.stateFile).mode & 0o777).toBe(0o600);
});

test('a client that omits the prefix is found by its consumer key, and its path fails', async ({ visitor }) => {
  const path = (whole: string) => whole.replace(`/${visitor.view.id}/`, '/');
  expect((await visitor.call(callOf((await visitor.next())!), { path })).status).toBe(200);
  expect(rowsWith(await visitor.fetchView(), 'fail')).toContain('close-day/path');
});

test('the private key can be downloaded only once, also after a restart', async ({ folder }) => {
  const first = await folder.open();
  const { id, credentials } = (await post(`${first.pageUrl}/api/engagements`, { name: 'x' })) as View;
  expect(credentials.privateKey).toBe('ready');
  const key = (page: string) =>
    fetch(`${page}/engagements/${id}/private-key`, { method: 'POST', headers: { Origin: new URL(page).origin } });
  const download = await key(first.pageUrl);
  expect(await download.text()).toContain('PRIVATE KEY');
  expect(download.headers.get('content-disposition')).toContain('attachment');
  expect((await key(first.pageUrl)).status).toBe(410);
  await first.close();
  const second = await folder.open();
  expect((await key(second.pageUrl)).status).toBe(410);
  await second.close();
});

test('the owner may provide a public key; other text is refused', async ({ desk: { pageUrl } }) => {
  const publicKeyPem = pem(shopKeys.publicKey);
  const list = `${pageUrl}/api/engagements`;
  const view = (await post(list, { name: 'own key', publicKeyPem })) as View;
  expect(view.credentials).toMatchObject({ privateKey: 'kept-by-its-owner', publicKeyPem });
  await expect(post(`${list}/${view.id}/private-key`)).rejects.toThrow('404');
  const wrongHalf = { name: 'wrong half', publicKeyPem: privatePemOf(shopKeys) };
  await expect(post(list, wrongHalf)).rejects.toThrow('a private key, but the public one');
  await expect(post(list, { name: 'no key', publicKeyPem: 'nonsense' })).rejects.toThrow('400');
  await expect(post(list, { name: '' })).rejects.toThrow('name must be');
  await expect(post(list, { name: 'x', operation: 'close-day' })).rejects.toThrow('the member operation is unknown');
});

test('exchanges.har contains the exchanges that count, with the judged calls', async ({ visitor }) => {
  await visitor.follow({}, 3);
  const calls = casesOf(readHar(await (await fetch(`${visitor.api}/exchanges.har`)).text()).run!);
  expect(calls.map(({ call, exchanges }) => [call!.label.special, exchanges.length])).toEqual([
    ['step close-day-plain', 1],
    ['step close-day-totals', 1],
    ['step close-day-leading-zeros', 1],
  ]);
});

test('with HTTPS, a restart keeps the certificate, and the page has its own port', async ({ folder }) => {
  const first = await folder.open({ plainHttp: false });
  const ca = readFileSync(first.caFile!, 'utf8');
  expect(await statusFor(`${first.origin}/e000000000000`, { ca })).toBe(404);
  expect(first.origin).toMatch(/^https:/);
  expect((await fetch(first.pageUrl)).status).toBe(200);
  await first.close();
  const second = await folder.open({ plainHttp: false });
  expect(await statusFor(`${second.origin}/e000000000000`, { ca })).toBe(404);
  await second.close();
});

test('a consequence of another failure is not listed as a mistake', async ({ visitor }) => {
  const csv = 'client-orderid;recurring-payment-id;amount\nshop "A"; till 7;1234567890;2.50\n';
  const pairs = [['payload', Buffer.from(csv).toString('base64')]] as const;
  await visitor.call({ operation: 'process-recurring-payments', pairs });
  const { causes, rows } = await visitor.fetchView();
  expect(rows.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(1);
  expect(causes.map(({ id }) => id)).toEqual(['recurring/csv-header-quoted']);
});

const form = 'application/x-www-form-urlencoded';

/** The status of a GET request with any Host, or of a POST request if there is a body. */
function statusFor(url: string, options: RequestOptions, body?: string): Promise<number> {
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    request(url, { method: body === undefined ? 'GET' : 'POST', ...options }, (response) =>
      resolve(response.resume().statusCode!),
    )
      .on('error', reject)
      .end(body);
  });
}

test('with a public URL, its host is accepted, base URLs begin with it, and clients sign it', async ({ folder }) => {
  const { pageUrl } = await folder.open({ publicUrl: 'https://desk.example/till' });
  expect(await statusFor(pageUrl, { headers: { Host: 'desk.example' } })).toBe(200);
  const visitor = await Visitor.arrive(pageUrl);
  expect(visitor.view.baseUrl).toBe(`https://desk.example/till/${visitor.view.id}`);
  const { url, init } = visitor.request(callOf((await visitor.next())!));
  expect((await fetch(url.replace('https://desk.example/till', new URL(pageUrl).origin), init)).status).toBe(200);
  const view = await visitor.fetchView();
  expect([rowsWith(view, 'pass'), view.causes]).toEqual([expect.arrayContaining([verifies]), []]);
});

test('the desk refuses other host names, and forms and JSON of other sites', async ({ desk: { pageUrl, service } }) => {
  const { origin, port } = new URL(pageUrl);
  for (const [host, status] of Object.entries({ [`localhost:${port}`]: 200, [`desk.example:${port}`]: 403 })) {
    for (const url of [pageUrl, `${pageUrl}/api/engagements`])
      expect(await statusFor(url, { headers: { Host: host } })).toBe(status);
  }
  const json = { 'Content-Type': 'application/json' };
  const foreign: readonly (readonly [path: string, headers: Record<string, string>])[] = [
    ['engagements', { 'Content-Type': form }],
    ['engagements', { 'Content-Type': form, Origin: 'null' }],
    ['engagements', { 'Content-Type': form, Origin: origin.replace('127.0.0.1', 'localhost') }],
    ['api/engagements', { ...json, Origin: 'http://evil.example' }],
    ['api/engagements', { 'Content-Type': 'text/plain' }],
  ];
  for (const [path, headers] of foreign)
    expect(await statusFor(`${pageUrl}/${path}`, { headers }, '{"name":"x"}')).toBe(403);
  expect(service.all()).toEqual([]);
});

test('markup in a name is shown as text, and the page runs only its own script', async ({ desk: { pageUrl } }) => {
  const name = '<img src=x onerror=alert(1)>"&\'';
  const { id } = (await post(`${pageUrl}/api/engagements`, { name })) as View;
  for (const address of [pageUrl, `${pageUrl}/engagements/${id}`]) {
    const response = await fetch(address);
    const text = await response.text();
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img src=x');
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(response.headers.get('content-security-policy')).toContain(`default-src 'none'`);
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
});

test('the forms create an engagement or mark a step, and redirect to the page', async ({ desk: { pageUrl } }) => {
  const { origin } = new URL(pageUrl);
  const headers = { 'Content-Type': form, Origin: origin };
  const send = (path: string, body: string) =>
    fetch(origin + path, { method: 'POST', body, redirect: 'manual', headers });
  const created = await send('/desk/engagements', 'name=Till+4&operations=close-day&publicKeyPem=');
  const page = created.headers.get('location')!;
  expect([created.status, page]).toEqual([303, expect.stringMatching(/^\/desk\/engagements\/e[0-9a-f]{12}$/)]);
  const marked = await send(`${page}/steps/close-day-plain`, 'action=skip');
  expect(marked.headers.get('location')).toBe(`${page}#step-close-day-plain`);
  expect(await (await fetch(origin + page)).text()).toContain('1 of 8');
  const wrong = await send('/desk/engagements', 'name=');
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('Name must be')]);
  expect((await send(`${page}/steps/close-day-plain`, 'action=pass')).status).toBe(400);
  expect((await send(`${page}/steps/recurring-plain`, 'action=skip')).status).toBe(404);
});

test('a secret that a client sends by mistake is removed from exchanges, reports and HAR', async ({ visitor }) => {
  const { consumerSecret } = visitor.view.credentials;
  const encoded = Buffer.from(`x;${consumerSecret};y`).toString('base64');
  const pairs = Object.entries({ day_close_request_id: consumerSecret, note: encoded });
  await visitor.call({ operation: 'close-day', pairs });
  const view = JSON.stringify((({ credentials: _, ...rest }) => rest)(await visitor.fetchView()));
  const page = await (await fetch(visitor.api.replace('/api', ''))).text();
  // The page has the secret twice: as text, and for the copy button.
  expect(page.split(consumerSecret)).toHaveLength(3);
  const fileAt = async (name: string) => (await fetch(`${visitor.api}/${name}`)).text();
  const files = [await fileAt('report.json'), await fileAt('exchanges.har')];
  // The request is recorded, so the secret was replaced.
  expect(JSON.parse(files[1]!).log.entries).toHaveLength(1);
  expect(files[1]).toMatch(/day_close_request_id=.*note=/);
  expect(view).toContain('day_close_request_id');
  for (const text of [view, ...files]) {
    expect(text).not.toContain(consumerSecret);
    expect(text).not.toContain(Buffer.from(consumerSecret).toString('base64').slice(4, 40));
    expect(text).not.toContain(encoded.slice(8, 48));
  }
});

test('a base URL in a browser shows an explanation, and nothing is recorded', async ({ visitor }) => {
  const response = await fetch(visitor.view.baseUrl);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('base URL of an engagement')]);
  expect((await visitor.fetchView()).exchangeCount).toBe(0);
});

test('the list names a request without an engagement, but not its query', async ({ desk: { pageUrl } }) => {
  await fetch(`${new URL(pageUrl).origin}/paynet/api/v2/close-day/1111?a=b`, { method: 'POST' });
  const page = await (await fetch(pageUrl)).text();
  expect(page).toContain('POST /paynet/api/v2/close-day/1111 does not have the path or the consumer key');
});

test('a body over the limit is refused, and the page says so', async ({ visitor, desk: { pageUrl } }) => {
  const url = `${visitor.view.baseUrl}/api/v4/process-recurring-payments/1111`;
  const response = await fetch(url, { method: 'POST', body: 'x'.repeat(2 * 1024 * 1024 + 1) });
  expect(response.status).toBe(413);
  const unread = [{ reason: 'a request whose body exceeds 2097152 bytes' }];
  expect(await visitor.fetchView()).toMatchObject({ exchangeCount: 0, unread });
  const headers = { 'Content-Type': 'application/json' };
  expect(await statusFor(`${pageUrl}/api/engagements`, { headers }, `"${'x'.repeat(70_000)}"`)).toBe(413);
});

test('a request that cannot be recorded is reported to its client, in the terminal and on the page', async ({
  visitor,
  desk: { pageUrl, service },
  folder: { stateFile },
}) => {
  await rm(stateFile);
  const url = `${visitor.view.baseUrl}/api/v2/close-day/1111`;
  const response = await fetch(url, { method: 'POST', body: 'day_close_request_id=CloseDay1' });
  const message = /the state file .* was removed, replaced or changed by another program; .*\./;
  expect([response.status, await response.text()]).toEqual([503, expect.stringMatching(message)]);
  expect(service.failures[0]!.why).toMatch(/^The desk did not record a request of a client: the state file /);
  const page = await (await fetch(`${pageUrl}/engagements/${visitor.view.id}`)).text();
  expect(page).toContain('The desk did not record a request of a client');
});

test('every step has a unique id and body, so that a repeated request differs from the next step', () => {
  const ids = deskSteps.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const bodies = deskSteps.map((step) => encodeForm([...callOf(step).pairs]));
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(ids.length).toBe(16);
});

/** The values that our own decoder reads in the answer to a step. Undefined if the decoder must fail. */
const readings: Readonly<Record<string, Record<string, unknown> | undefined>> = {
  'close-day-totals': { kind: 'finished', gates: [{ gateId: '9007199254740993' }, {}, {}] },
  'close-day-leading-zeros': { kind: 'finished', gates: [{ isDayClosing: true }] },
  'close-day-some-absent': { kind: 'error', errorCode: '99' },
  'close-day-empty-field': { kind: 'finished', gates: [] },
  'close-day-longest-id': { errorMessage: 'Terminal gesperrt – später' },
  'close-day-cut-answer': undefined,
  'close-day-refused': { kind: 'refused', httpStatus: 403 },
  'recurring-plain': { kind: 'accepted' },
  'recurring-delimiters': { kind: 'refused', httpStatus: 403 },
  'recurring-plus-and-slash': {
    type: 'validation-error',
    params: expect.arrayContaining([['error-message', 'amount & limit = wrong']]),
  },
  'recurring-non-ascii': { kind: 'parameters', type: 'error' },
};

test('the answer of each step matches its description', () => {
  for (const [id, expected] of Object.entries(readings)) {
    const { operation, answer } = deskSteps.find((step) => step.id === id)!;
    const response = { ...answer, headers: [...answer.headers] };
    const read = () =>
      operation === 'close-day' ? decodeCloseDayResponse(response) : decodeRecurringResponse(response);
    if (expected === undefined) expect(read, id).toThrow();
    else expect(read(), id).toMatchObject(expected);
  }
});

test('each request has its own mistakes, with the received value only if it sent this value', () => {
  const id = verifies;
  const statement = requirementById(id)!.statement;
  const deviation = { id: 'body-left-out', summary: 'The form is not signed.', fix: 'Sign the form.', snippet: '' };
  const row = { id, statement, outcome: 'fail', actual: 'the first signature', exchanges: [1, 2, 3, 4] };
  const explanations = [{ exchange: 2, deviations: [deviation], facts: [], triedCount: 1 }];
  const cause = { outcome: 'fail', sentence: '', deviations: ['body-left-out'], requirements: [id], exchanges: [2, 3] };
  const sentences = (one: object) => {
    const result = { results: [{ ...row, explanations }], causes: [one] } as unknown as Result;
    return [1, 2, 3, 4].map((number) => mistakesAt([number], result).map(({ sentence }) => sentence));
  };
  const broken = `Broken: ${statement}`;
  const [received, fault] = [[`${broken} Received: the first signature.`], ['The form is not signed (body-left-out).']];
  expect(sentences(cause)).toEqual([received, fault, fault, [broken]]);
  // Ignore a cause about another requirement, or without a deviation.
  for (const more of [{ requirements: ['x'] }, { deviations: [] }, { deviations: undefined }])
    expect(sentences({ ...cause, ...more })).toEqual([received, fault, [broken], [broken]]);
});
