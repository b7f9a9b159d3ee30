/** The client under test and the gateway that it talks to, opened together as the options say. */
import { createHash } from 'node:crypto';
import { usableClientDefects } from '../../faults/client/index.ts';
import type { ClientSession } from '../../peer/adapter/client-session.ts';
import {
  defaultLimits,
  openAdapterSession,
  openAttachSession,
  openOneShotSession,
  Patience,
} from '../../peer/adapter/index.ts';
import { type ClientAlteration, openInProcessSession } from '../../peer/client/index.ts';
import { type LocalGateway, type LocalGatewayOptions, openInProcessGateway } from '../../peer/local-gateway/index.ts';
import type { ClientOptions } from '../options/run-options.ts';
import { suite } from '../options/suite-version.ts';
import { openGatewayInFolder } from './gateway-in-folder.ts';
import { attachLimitMs } from './limits.ts';

export interface OpenedClient {
  readonly session: ClientSession;
  readonly gateway: LocalGateway;
  /** Another session of the same client with these variables; undefined where there is only the one that attached. */
  readonly openWith?: (environment: Readonly<Record<string, string>>) => Promise<ClientSession>;
  /** Ends the client's processes and the gateway. Never rejects. */
  close(): Promise<void>;
}

/** `keep` says what is kept of a request. Throws AdapterError where the client does not start or does not introduce itself, and DiskError. */
export async function openClient(
  options: ClientOptions,
  seed: string,
  keep?: LocalGatewayOptions['keep'],
): Promise<OpenedClient> {
  if (options.defects !== undefined) return openReference(alterationsOf(options.defects));
  const { plainHttp, host, certificates } = options;
  const { gateway, close: closeGateway } = await openGatewayInFolder('countersign-client-', {
    now: Date.now,
    plainHttp,
    host,
    keep,
    ...(certificates && { certificates }),
  });
  const patience = new Patience(defaultLimits, say);
  const openWith = (environment: Readonly<Record<string, string>>) =>
    start(options, seed, gateway, environment, patience);
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

/** The reporter hands it on to the person in front of the run. */
function say(sentence: string): void {
  process.stderr.write(`countersign: ${sentence}\n`);
}

function start(
  { command: [command = '', ...args], mode, port, cwd }: ClientOptions,
  seed: string,
  { ca }: LocalGateway,
  environment: Readonly<Record<string, string>>,
  patience: Patience,
): Promise<ClientSession> {
  const common = {
    seed,
    suite,
    patience,
    ca,
  };
  if (mode === 'attach') {
    return openAttachSession({ ...common, port: port!, announce: say, connectMs: attachLimitMs });
  }
  const started = { ...common, command, args, cwd, env: environment };
  return mode === 'one-shot' ? openOneShotSession(started) : openAdapterSession(started);
}

/** The alterations of these defects, in their order in the list. */
function alterationsOf(ids: readonly string[]): ClientAlteration[] {
  return usableClientDefects.filter(({ id }) => ids.includes(id)).map(({ alteration }) => alteration);
}

/** Signatures that earlier runs of the same plan have made, and the moment at which all of these runs take place. */
export interface Repetition {
  readonly made: Map<string, string>;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * The reference client in this process, altered or not. Under a `repetition` nothing is random: a run signs the texts of
 * the one before it again, but for what its alterations change.
 */
export async function openReference(
  alterations: readonly ClientAlteration[],
  repetition?: Repetition,
): Promise<OpenedClient> {
  const counted = repetition && notRandom(repetition);
  const gateway = openInProcessGateway({ now: Date.now, ...counted?.gateway });
  const openWith = async (environment: Readonly<Record<string, string>>) =>
    openInProcessSession({ alterations, environment, gateway, ...counted?.session });
  const session = await openWith({});
  return { session, gateway, openWith, close: () => gateway.close() };
}

/** Counted, all different within the run: a nonce has to be fresh, and here it need not be unpredictable. */
function notRandom({ made, at }: Repetition) {
  const counter = (what: string) => {
    let count = 0;
    return () => {
      count += 1;
      return createHash('sha256').update(`${what} ${count}`).digest('hex').slice(0, 32);
    };
  };
  const place = counter('place');
  return {
    gateway: { now: () => at, segment: () => `x${place().slice(0, 16)}` },
    session: { clock: () => at, nonce: counter('nonce'), made },
  };
}
