/** The client under test and the gateway that it talks to, opened together as the options say. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAdapterSession, openAttachSession, openOneShotSession } from '../../certify/adapter/index.ts';
import type { ClientSession } from '../../certify/client-session.ts';
import { type LocalGateway, openInProcessGateway, openLocalGateway } from '../../certify/local-gateway/index.ts';
import { type Alteration, openInProcessSession } from '../../client/index.ts';
import { clientDefects } from '../../defects/client/index.ts';
import type { ClientOptions } from '../run-options.ts';
import { suite } from '../suite-version.ts';
import { attachLimitMs } from './limits.ts';

export interface OpenedClient {
  readonly session: ClientSession;
  readonly gateway: LocalGateway;
  /** Another session of the same client with these variables; undefined where there is only the one that attached. */
  readonly openWith?: (environment: Readonly<Record<string, string>>) => Promise<ClientSession>;
  /** Ends the client's processes and the gateway. Never rejects. */
  close(): Promise<void>;
}

/** Throws AdapterError where the client does not start or does not introduce itself. */
export async function openClient(options: ClientOptions, seed: string): Promise<OpenedClient> {
  if (options.defects !== undefined) return openReference(alterationsOf(options.defects));
  const { plainHttp, certificates } = options;
  const folder = await mkdtemp(join(tmpdir(), 'countersign-client-'));
  const gateway = await openLocalGateway({ folder, now: Date.now, plainHttp, ...(certificates && { certificates }) });
  const closeGateway = async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  };
  const openWith = (environment: Readonly<Record<string, string>>) => start(options, seed, gateway, environment);
  try {
    const session = await openWith({});
    return {
      session,
      gateway,
      ...(options.mode === 'attach' ? {} : { openWith }),
      close: async () => {
        await session.close();
        await closeGateway();
      },
    };
  } catch (cause) {
    await closeGateway();
    throw cause;
  }
}

function start(
  { command: [command = '', ...args], mode, port, cwd }: ClientOptions,
  seed: string,
  { ca }: LocalGateway,
  environment: Readonly<Record<string, string>>,
): Promise<ClientSession> {
  const common = {
    seed,
    suite,
    ...(ca === undefined ? {} : { ca }),
  };
  if (mode === 'attach') {
    const announce = (sentence: string): void => void process.stderr.write(`countersign: ${sentence}\n`);
    return openAttachSession({ ...common, port: port!, announce, connectMs: attachLimitMs });
  }
  const started = { ...common, command, args, cwd, env: environment };
  return mode === 'one-shot' ? openOneShotSession(started) : openAdapterSession(started);
}

/** The alterations of these defects, in their order in the list. */
function alterationsOf(ids: readonly string[]): Alteration[] {
  return clientDefects.filter(({ id }) => ids.includes(id)).map(({ alteration }) => alteration);
}

/** The reference client in this process, altered or not. */
export async function openReference(alterations: readonly Alteration[]): Promise<OpenedClient> {
  const gateway = openInProcessGateway({ now: Date.now });
  const openWith = async (environment: Readonly<Record<string, string>>) =>
    openInProcessSession({ alterations, environment, gateway });
  const session = await openWith({});
  return { session, gateway, openWith, close: () => gateway.close() };
}
