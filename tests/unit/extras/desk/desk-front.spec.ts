/** The front door of the desk: who may change something, what is shown of foreign text, and that secrets stay in their place. */
import { rm } from 'node:fs/promises';
import { request } from 'node:http';
import { lineOf } from '../../../../src/extras/desk/view.ts';
import { expect } from '../../../engine.ts';
import { test } from './desk-opened.ts';
import { callOf, post, type View, Visitor } from './desk-visitor.ts';

const form = 'application/x-www-form-urlencoded';

/** Status of a request whose Host header is chosen freely, which fetch does not allow. */
function statusFor(url: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: pathname, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject).end(body);
  });
}

test('a foreign name is refused: no page can rebind its own name to the desk', async ({ desk: { pageUrl } }) => {
  const { port } = new URL(pageUrl);
  expect(await statusFor(pageUrl, { Host: `127.0.0.1:${port}` })).toBe(200);
  expect(await statusFor(pageUrl, { Host: `localhost:${port}` })).toBe(200);
  expect(await statusFor(pageUrl, { Host: `desk.example:${port}` })).toBe(403);
  expect(await statusFor(pageUrl, { Host: '127.0.0.1.nip.io' })).toBe(403);
  expect(await statusFor(`${pageUrl}/api/engagements`, { Host: 'desk.example' })).toBe(403);
});

test('a public URL is a known name, starts base URLs, and is what clients behind a proxy sign', async ({ folder }) => {
  const { pageUrl } = await folder.open({ publicUrl: 'https://desk.example/till' });
  expect(await statusFor(pageUrl, { Host: 'desk.example' })).toBe(200);
  const visitor = await Visitor.arrive(pageUrl);
  expect(visitor.view.baseUrl).toBe(`https://desk.example/till/${visitor.view.id}`);
  const { url, init } = visitor.request(callOf((await visitor.next())!));
  expect((await fetch(url.replace('https://desk.example/till', new URL(pageUrl).origin), init)).status).toBe(200);
  const { exchanges, plan } = await visitor.look();
  expect([exchanges[0]!.signature, plan[0]!.failing]).toEqual([{ verified: true }, []]);
});

test('another site can send no form and no JSON for the person here', async ({ desk: { pageUrl, service } }) => {
  const create = (headers: Record<string, string>, body = 'name=x') =>
    statusFor(`${pageUrl}/engagements`, { 'Content-Type': form, ...headers }, 'POST', body);
  expect(await create({ Origin: 'http://evil.example' })).toBe(403);
  expect(await create({ Origin: 'null' })).toBe(403);
  expect(await create({})).toBe(403);
  expect(await create({ Origin: new URL(pageUrl).origin.replace('127.0.0.1', 'localhost') })).toBe(403);
  const api = { 'Content-Type': 'application/json', Origin: 'http://evil.example' };
  expect(await statusFor(`${pageUrl}/api/engagements`, api, 'POST', '{"name":"x"}')).toBe(403);
  const plain = { 'Content-Type': 'text/plain' };
  expect(await statusFor(`${pageUrl}/api/engagements`, plain, 'POST', '{"name":"x"}')).toBe(403);
  expect(service.all()).toEqual([]);
  expect(await create({ Origin: new URL(pageUrl).origin })).toBe(303);
  expect(service.all()).toHaveLength(1);
});

test('a name with mark-up is text on the page, which loads only its own script', async ({ desk: { pageUrl } }) => {
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

test('the forms create an engagement and mark a step, and lead back to the page', async ({ desk: { pageUrl } }) => {
  const { origin } = new URL(pageUrl);
  const send = (path: string, body: string) =>
    fetch(origin + path, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'Content-Type': form, Origin: origin },
    });
  const created = await send('/desk/engagements', 'name=Till+4&operations=close-day&publicKeyPem=');
  const page = created.headers.get('location')!;
  expect([created.status, page]).toEqual([303, expect.stringMatching(/^\/desk\/engagements\/e[0-9a-f]{12}$/)]);
  const marked = await send(`${page}/steps/close-day-plain`, 'action=skip');
  expect(marked.headers.get('location')).toBe(`${page}#step-close-day-plain`);
  expect(await (await fetch(origin + page)).text()).toContain('1 of 8');
  const wrong = await send('/desk/engagements', 'name=');
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('The name has to be')]);
  expect((await send(`${page}/steps/close-day-plain`, 'action=pass')).status).toBe(400);
  expect((await send(`${page}/steps/recurring-plain`, 'action=skip')).status).toBe(404);
});

test('a secret that a client sends by mistake is in no exchange, no report and no HAR', async ({ visitor }) => {
  const { consumerSecret } = visitor.view.credentials;
  const encoded = Buffer.from(`x;${consumerSecret};y`).toString('base64');
  const pairs = [
    ['day_close_request_id', consumerSecret],
    ['note', encoded],
  ] as const;
  await visitor.call({ operation: 'close-day', pairs });
  const view = JSON.stringify((({ credentials: _, ...rest }) => rest)(await visitor.look()));
  expect(view).toContain('[secret]');
  const page = await (await fetch(visitor.api.replace('/api', ''))).text();
  // Once to be copied, once as its text.
  expect(page.split(consumerSecret)).toHaveLength(3);
  const files = await Promise.all(
    ['report.json', 'exchanges.har'].map(async (name) => (await fetch(`${visitor.api}/${name}`)).text()),
  );
  for (const text of [view, ...files]) {
    expect(text).not.toContain(consumerSecret);
    expect(text).not.toContain(Buffer.from(consumerSecret).toString('base64').slice(4, 40));
    expect(text).not.toContain(encoded.slice(8, 48));
  }
});

test('whoever opens a base URL in a browser is told what it is, and nothing is recorded', async ({ visitor }) => {
  const response = await fetch(visitor.view.baseUrl);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('base URL of an engagement')]);
  expect((await visitor.look()).exchangeCount).toBe(0);
});

test('a request for no engagement is named on the first page, without its query', async ({ desk: { pageUrl } }) => {
  await fetch(`${new URL(pageUrl).origin}/paynet/api/v2/close-day/1111?a=b`, { method: 'POST' });
  const page = await (await fetch(pageUrl)).text();
  expect(page).toContain('POST /paynet/api/v2/close-day/1111<');
});

test('a body beyond the bound is refused, and the page says so', async ({ visitor, desk: { pageUrl } }) => {
  const url = `${visitor.view.baseUrl}/api/v4/process-recurring-payments/1111`;
  const response = await fetch(url, { method: 'POST', body: 'x'.repeat(2 * 1024 * 1024 + 1) });
  expect(response.status).toBe(413);
  expect((await visitor.look()) as unknown as { unread: object[] }).toMatchObject({
    exchangeCount: 0,
    unread: [{ reason: 'a request whose body exceeds 2097152 bytes' }],
  });
  const json = { 'Content-Type': 'application/json' };
  expect(await statusFor(`${pageUrl}/api/engagements`, json, 'POST', `"${'x'.repeat(70_000)}"`)).toBe(400);
});

test('a request that cannot be recorded is named in the terminal and on the page, not to its client alone', async ({
  visitor,
  desk: { pageUrl, service },
  folder: { stateFile },
}) => {
  await rm(stateFile);
  const url = `${visitor.view.baseUrl}/api/v2/close-day/1111`;
  const response = await fetch(url, { method: 'POST', body: 'day_close_request_id=CloseDay1' });
  const why = /the state file .* was taken away, cut or replaced; .*\./;
  expect([response.status, await response.text()]).toEqual([503, expect.stringMatching(why)]);
  expect(lineOf(service, undefined)).toMatch(/ ! A request of a client was not recorded: the state file /);
  const page = await (await fetch(`${pageUrl}/engagements/${visitor.view.id}`)).text();
  expect(page).toContain('A request of a client was not recorded');
});
