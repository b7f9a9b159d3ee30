/** Starts the desk: its state file, its servers on 127.0.0.1, and the way to end them in order. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { type Listener, type LostConnection, openListener, whyLost } from '../../mock/listener.ts';
import { readPublicUrl } from '../../mock/public-url.ts';
import { reasonOf } from '../../record/errors.ts';
import { issueCertificate, stillServes } from './certificate.ts';
import { DeskError } from './desk-error.ts';
import { DeskService, type DeskSurroundings } from './desk-service.ts';
import { front } from './front.ts';
import { takeDeskLock } from './lock.ts';
import { makeStateFolder, openLog } from './log.ts';
import { type LineFault, setAside } from './read-log.ts';
import { deskReceiver } from './receive.ts';
import { DeskState } from './state.ts';

export interface DeskOptions extends Pick<DeskSurroundings, 'judge' | 'explainSignature'> {
  /** Port for clients on 127.0.0.1; the page has the next one where clients speak HTTPS. 0 for any free ones. */
  readonly port: number;
  readonly plainHttp: boolean;
  /** Name of this machine in base URLs; default 127.0.0.1. */
  readonly host?: string;
  readonly stateFile: string;
  /** Base URL that a proxy in front offers. */
  readonly publicUrl?: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface RunningDesk {
  readonly pageUrl: string;
  /** Scheme, authority and prefix of every base URL. */
  readonly origin: string;
  readonly caFile?: string;
  readonly service: DeskService;
  /** What people should know of the start, one sentence each. */
  readonly remarks: readonly string[];
  /** Stops listening, waits for what is being written, and gives the state file free. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const maxHeaderBytes = 64 * 1024;

/** Throws DeskError, or MockError where a port cannot be opened or the public URL is none. */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  const { stateFile, now, host: clientHost = host } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  await makeStateFolder(stateFile);
  const lock = takeDeskLock(stateFile);
  // Whatever fails from here on, what was opened is closed again, the last first.
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    const { log, events, lines, faults, remark } = await openLog(stateFile);
    undo.push(() => log.close());
    const state = new DeskState();
    const astray = events.flatMap((event, index): LineFault[] => {
      const why = state.apply(event);
      return why === undefined ? [] : [{ line: lines[index]!, why: `it ${why}` }];
    });
    const remarks = [remark, setAside([...faults, ...astray])].filter((one) => one !== undefined);

    const tls = options.plainHttp ? undefined : await certificate();
    let origin = '';
    const service = new DeskService({
      state,
      log,
      now,
      judge: options.judge,
      explainSignature: options.explainSignature,
      origin: () => origin,
    });
    const clients = deskReceiver(service, { scheme: tls ? 'https' : 'http', publicUrl });
    const common = { publicHost: publicUrl?.host, caFile: tls?.caFile };
    const main = await listen(options.port, front(service, { ...common, clients }), tls);
    const pages = tls === undefined ? main : await listen(pagePort(options.port), front(service, common));
    origin = publicUrl
      ? `${publicUrl.scheme}://${publicUrl.host}${publicUrl.prefix}`
      : `${tls ? 'https' : 'http'}://${clientHost}:${main.port}`;
    return {
      pageUrl: `http://${host}:${pages.port}/desk`,
      origin,
      caFile: tls?.caFile,
      service,
      remarks,
      close,
    };

    async function certificate() {
      let kept = state.certificate;
      if (!stillServes(kept, now())) {
        kept = issueCertificate(now());
        await log.append({ t: 'certificate', certificate: kept });
      }
      const caFile = `${stateFile.replace(/\.jsonl$/, '')}-ca.pem`;
      await writeWhole(caFile, kept.authority);
      return { key: kept.key, cert: kept.cert, caFile };
    }

    async function listen(port: number, handler: ReturnType<typeof front>, keys?: { key: string; cert: string }) {
      const what = { server: 'desk', caFile: tls?.caFile ?? '', plain: 'with --plain-http' };
      const onLost = (lost: LostConnection) => service.lose(whyLost(lost, what));
      const listener: Listener = await openListener(
        { host: keys ? clientHost : host, port, maxHeaderBytes, tls: keys, onLost },
        handler,
      );
      undo.push(() => listener.close());
      return listener;
    }
  } catch (cause) {
    await close();
    throw cause;
  }
}

function pagePort(port: number): number {
  return port === 0 ? 0 : port + 1;
}

/** Renamed into place: a client that reads it meanwhile sees the old one or the new one. */
async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(partial, text);
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw new DeskError(
      'state-unwritable',
      `${path} cannot be written (${reasonOf(cause)})`,
      'name a state file in another folder',
      cause,
    );
  }
}
