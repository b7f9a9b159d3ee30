/** The desk in this process: the plan followed rightly and wrongly, what a person says, and what survives a restart. */
import { readFileSync, statSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { validate } from '../../../../schemas/index.ts';
import { readHar } from '../../../../src/record/read-har.ts';
import { casesOf } from '../../../../src/record/run.ts';
import { expect } from '../../../engine.ts';
import { shopKeys } from '../../../keys/index.ts';
import { test } from './desk-opened.ts';
import { callOf, outcomes, post, type View, Visitor } from './desk-visitor.ts';

test('a client that follows the whole plan fails nothing, and the conclusion is partial', async ({ visitor }) => {
  await visitor.follow();
  const view = await visitor.look();
  expect(view.plan.map(({ state, failing }) => [state, failing])).toEqual(view.plan.map(() => ['done', []]));
  expect(view.plan.length).toBe(16);
  expect(outcomes(view, 'fail')).toEqual([]);
  expect(outcomes(view, 'error')).toEqual([]);
  expect(view.conclusion).toBe('partial');
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

test('a body left out of the signature turns that row red at each step, with the reason', async ({ visitor }) => {
  await visitor.follow({ signed: () => [] }, 3);
  const view = await visitor.look();
  expect(outcomes(view, 'fail')).toEqual(['authentication/signature-verifies']);
  expect(view.rows.find(({ id }) => id === 'authentication/signature-verifies')!.exchanges).toEqual([1, 2, 3]);
  expect(view.plan.slice(0, 3).map(({ failing }) => failing)).toEqual(
    Array(3).fill(['authentication/signature-verifies']),
  );
  expect(view.exchanges[0]!.signature.explanation).toContain('(body-left-out)');
  expect(view.conclusion).toBe('non-conformant');
});

test('a client may choose its request id, and a request outside of the plan takes no step', async ({ visitor }) => {
  const own = { operation: 'close-day', pairs: [['day_close_request_id', 'MyOwnId00042']] } as const;
  await visitor.call(own);
  expect((await visitor.look()).plan[0]).toMatchObject({ state: 'done', failing: [] });
  const outside = { operation: 'process-recurring-payments', pairs: [['Payload', 'IngiCjE=']] } as const;
  expect(await visitor.call(outside)).toEqual({ status: 200, body: '' });
  const view = await visitor.look();
  expect(view.exchanges[0]!.step).toBeUndefined();
  expect(view.plan[1]!.state).toBe('next');
  expect(outcomes(view, 'pass')).toContain('close-day/sale-approved-sum');
  // It is judged all the same.
  expect(outcomes(view, 'fail')).toContain('recurring/payload-only');
});

test('the same body once more is the same step, as where an HTTP library repeats a request', async ({ visitor }) => {
  const call = callOf((await visitor.next())!);
  const first = await visitor.call(call);
  expect(await visitor.call(call)).toEqual(first);
  const view = await visitor.look();
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

test('what a person says passes no row, and report.json tells it as reported', async ({ visitor }) => {
  await visitor.follow({}, 2);
  const before = await visitor.look();
  await visitor.say('close-day-plain', 'showed');
  const view = await visitor.say('close-day-totals', 'did-not-show');
  expect(view.plan.slice(0, 2).map(({ reportedByPerson }) => reportedByPerson)).toEqual(['showed', 'did-not-show']);
  expect(outcomes(view, 'pass')).toEqual(outcomes(before, 'pass'));
  const report = await (await fetch(`${visitor.api}/report.json`)).json();
  expect(report.notes).toContain('Reported by the person, not judged: shown at close-day-plain.');
  expect(report.notes).toContain('Reported by the person, not judged: not shown at close-day-totals.');
  expect(validate('report', report)).toEqual([]);
});

test('a step that is repeated rightly turns its rows green, and the wrong one stays on record', async ({ visitor }) => {
  await visitor.follow({ secret: 'not-the-secret-of-this-one' }, 1);
  expect(outcomes(await visitor.look(), 'fail')).toEqual(['authentication/signature-verifies']);
  expect((await visitor.say('close-day-plain', 'repeat')).plan[0]!.state).toBe('next');
  await visitor.follow({}, 1);
  const view = await visitor.look();
  expect(outcomes(view, 'fail')).toEqual([]);
  expect(view.exchanges.map(({ number, counts }) => [number, counts])).toEqual([
    [2, true],
    [1, false],
  ]);
  await post(`${visitor.api}/restart`);
  const fresh = await visitor.look();
  expect([fresh.exchangeCount, fresh.plan[0]!.state, outcomes(fresh, 'pass')]).toEqual([2, 'next', []]);
});

test('a restart of the desk keeps credentials, exchanges, steps and what a person said', async ({ folder }) => {
  const first = await folder.open();
  const visitor = await Visitor.arrive(first.pageUrl);
  await visitor.follow({}, 4);
  await visitor.say('close-day-plain', 'showed');
  const before = await visitor.look();
  await first.close();
  const second = await folder.open();
  const after = (await (await fetch(`${second.pageUrl}/api/engagements/${before.id}`)).json()) as View;
  await second.close();
  expect(second.remarks).toEqual([]);
  expect({ ...after, baseUrl: '' }).toEqual({ ...before, baseUrl: '' });
  expect(statSync(folder.stateFile).mode & 0o777).toBe(0o600);
});

test('a client that drops the prefix is found by its consumer key, and its path turns red', async ({ visitor }) => {
  const { url, init } = visitor.request(callOf((await visitor.next())!));
  const response = await fetch(url.replace(`/${visitor.view.id}/`, '/'), init);
  expect(response.status).toBe(200);
  expect(outcomes(await visitor.look(), 'fail')).toContain('close-day/path');
});

test('the private key is given once, and never again after a restart', async ({ folder }) => {
  const first = await folder.open();
  const { id, credentials } = (await post(`${first.pageUrl}/api/engagements`, { name: 'x' })) as View;
  expect(credentials.privateKey).toBe('ready');
  const key = (page: string) =>
    fetch(`${page}/engagements/${id}/private-key`, { method: 'POST', headers: { Origin: new URL(page).origin } });
  const given = await key(first.pageUrl);
  expect(await given.text()).toContain('PRIVATE KEY');
  expect(given.headers.get('content-disposition')).toContain('attachment');
  expect((await key(first.pageUrl)).status).toBe(410);
  await first.close();
  const second = await folder.open();
  expect((await key(second.pageUrl)).status).toBe(410);
  await second.close();
});

test('the owner may give the public key; a private one, or none, is refused', async ({ desk: { pageUrl } }) => {
  const keys = shopKeys;
  const publicKeyPem = String(keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const list = `${pageUrl}/api/engagements`;
  const view = (await post(list, { name: 'own key', publicKeyPem })) as View;
  expect(view.credentials).toMatchObject({ privateKey: 'kept-by-its-owner', publicKeyPem });
  await expect(post(`${list}/${view.id}/private-key`)).rejects.toThrow('404');
  const privateKeyPem = String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await expect(post(list, { name: 'wrong half', publicKeyPem: privateKeyPem })).rejects.toThrow(
    'private key where the',
  );
  await expect(post(list, { name: 'no key', publicKeyPem: 'nonsense' })).rejects.toThrow('400');
  await expect(post(list, { name: '' })).rejects.toThrow('the name has to be');
  await expect(post(list, { name: 'x', operation: 'close-day' })).rejects.toThrow('operation is not known here');
});

test('exchanges.har holds what counts, and its calls are those that were judged', async ({ visitor }) => {
  await visitor.follow({}, 3);
  const calls = casesOf(readHar(await (await fetch(`${visitor.api}/exchanges.har`)).text()).run!);
  expect(calls.map(({ call, exchanges }) => [call!.label.special, exchanges.length])).toEqual([
    ['step close-day-plain', 1],
    ['step close-day-totals', 1],
    ['step close-day-leading-zeros', 1],
  ]);
});

test('with HTTPS a restart keeps the certificate, and the page has a port of its own', async ({ folder }) => {
  const statusOf = (origin: string, ca: string) =>
    new Promise((resolve, reject) => {
      httpsRequest(`${origin}/e000000000000`, { ca }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  const first = await folder.open({ plainHttp: false });
  const ca = readFileSync(first.caFile!, 'utf8');
  expect(await statusOf(first.origin, ca)).toBe(404);
  expect(first.origin).toMatch(/^https:/);
  expect((await fetch(first.pageUrl)).status).toBe(200);
  await first.close();
  const second = await folder.open({ plainHttp: false });
  expect(await statusOf(second.origin, ca)).toBe(404);
  await second.close();
});

test('what follows from another failure is no further thing to put right', async ({ visitor }) => {
  const csv = 'client-orderid;recurring-payment-id;amount\nshop "A"; till 7;1234567890;2.50\n';
  const pairs = [['payload', Buffer.from(csv).toString('base64')]] as const;
  await visitor.call({ operation: 'process-recurring-payments', pairs });
  const { causes, rows } = await visitor.look();
  expect(rows.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(1);
  expect(causes.map(({ id }) => id)).toEqual(['recurring/csv-header-quoted']);
});
