/** A client of the desk, for tests: creates an engagement, and sends correct or faulty requests of its plan. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { core } from '../../../../src/app/commands/desk.ts';
import type { EngagementView } from '../../../../src/extras/desk/desk-service.ts';
import { type RunningDesk, startDesk } from '../../../../src/extras/desk/start-desk.ts';
import {
  buildCloseDay,
  buildRecurring,
  type CloseDayFields,
  type CsvTable,
  encodeForm,
  type Pair,
  readPrivateKey,
  signRequest,
} from '../../../../src/protocol/index.ts';
import { test as withoutDesk } from '../../../engine.ts';
import { type KeyPair, privatePemOf, shopKeys } from '../../../keys/index.ts';
import { pem } from '../../app/signed-call.ts';

/** The answer of GET /desk/api/engagements/ID. */
export type View = EngagementView;

type Step = Pick<View['plan'][number], 'id' | 'operation' | 'input'>;

export interface Call {
  readonly operation: Step['operation'];
  readonly pairs: readonly Pair[];
}

interface Fault {
  readonly signed?: (pairs: readonly Pair[]) => readonly Pair[];
  readonly body?: (text: string) => string;
  readonly secret?: string;
  readonly path?: (path: string) => string;
}

export class Visitor {
  readonly api: string;
  readonly view: View;
  private readonly privateKeyPem: string;

  private constructor(api: string, view: View, privateKeyPem: string) {
    this.api = api;
    this.view = view;
    this.privateKeyPem = privateKeyPem;
  }

  /** @param pageUrl address of the page, such as http://127.0.0.1:1/desk. `keys`: by default, the desk makes them. */
  static async arrive(pageUrl: string, input: object = { name: 'a client' }, keys?: KeyPair): Promise<Visitor> {
    const list = `${pageUrl}/api/engagements`;
    const view = (await post(list, { ...input, publicKeyPem: keys && pem(keys.publicKey) })) as View;
    const api = `${list}/${view.id}`;
    if (keys !== undefined) return new Visitor(api, view, privatePemOf(keys));
    const { privateKeyPem } = (await post(`${api}/private-key`)) as { privateKeyPem: string };
    return new Visitor(api, view, privateKeyPem);
  }

  async fetchView(): Promise<View> {
    return (await fetch(this.api)).json() as Promise<View>;
  }

  async next(): Promise<Step | null> {
    return ((await (await fetch(`${this.api}/next`)).json()) as { next: Step | null }).next;
  }

  async follow(fault: Fault = {}, max = 100): Promise<void> {
    for (let remaining = max; remaining > 0; remaining -= 1) {
      const next = await this.next();
      if (next === null) return;
      await this.call(callOf(next), fault);
    }
  }

  async call(call: Call, fault: Fault = {}): Promise<{ readonly status: number; readonly body: string }> {
    const { url, init } = this.request(call, fault);
    const response = await fetch(url, init);
    return { status: response.status, body: await response.text() };
  }

  request(
    { operation, pairs }: Call,
    { signed = (same) => same, body = (same) => same, path = (same) => same, secret }: Fault = {},
  ) {
    const { protocol, host, origin, pathname } = new URL(this.view.baseUrl);
    const isCloseDay = operation === 'close-day';
    const target = path(`${pathname}/api/${isCloseDay ? 'v2' : 'v4'}/${operation}/1111`);
    const { consumerKey, consumerSecret } = this.view.credentials;
    const { authorization } = signRequest(
      { method: 'POST', scheme: protocol.slice(0, -1), host, target, body: [...signed(pairs)] },
      {
        consumerKey,
        key: isCloseDay
          ? { method: 'HMAC-SHA1', consumerSecret: secret ?? consumerSecret }
          : { method: 'RSA-SHA256', privateKey: readPrivateKey(this.privateKeyPem) },
      },
      { timestamp: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(8).toString('hex') },
    );
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: authorization };
    return { url: origin + target, init: { method: 'POST', headers, body: body(encodeForm([...pairs])) } };
  }

  async markStep(step: string, action: string): Promise<View> {
    return (await post(`${this.api}/steps/${step}`, { action })) as View;
  }
}

export function callOf({ operation, input }: Step): Call {
  const pairs =
    operation === 'close-day' ? buildCloseDay(input as CloseDayFields) : buildRecurring(input as CsvTable).body;
  return { operation, pairs };
}

/** The ids of the rows with this outcome. */
export function rowsWith({ rows }: View, outcome: string): string[] {
  return rows.filter((row) => row.outcome === outcome).map(({ id }) => id);
}

export async function post(url: string, body: object = {}): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

export type StateFolder = Awaited<ReturnType<typeof stateFolder>>;

export async function stateFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-desk-'));
  const stateFile = join(folder, 'below', 'desk.jsonl');
  const desks: RunningDesk[] = [];
  return {
    stateFile,
    open: async (more: Partial<Parameters<typeof startDesk>[0]> = {}): Promise<RunningDesk> => {
      const desk = await startDesk({ ...core, port: 0, plainHttp: true, stateFile, ...more });
      desks.push(desk);
      return desk;
    },
    remove: async (): Promise<void> => {
      for (const desk of desks) await desk.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The visitor of a desk whose state file is in `folder`. */
export const test = withoutDesk.extend<{ folder: StateFolder; desk: RunningDesk; visitor: Visitor }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
  folder: async ({}, use) => {
    const folder = await stateFolder();
    await use(folder);
    await folder.remove();
  },
  desk: async ({ folder }, use) => use(await folder.open()),
  // Making a key pair takes half a second.
  visitor: async ({ desk }, use) => use(await Visitor.arrive(desk.pageUrl, { name: 'a client' }, shopKeys)),
});
