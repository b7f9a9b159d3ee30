/** Starts the desk: its state file, its servers on 127.0.0.1, and the way to end them in order. */
import { newAuthority } from '../../mock/certificates.ts';
import { type LostConnection, openListener, whyLost } from '../../mock/listener.ts';
import { readPublicUrl } from '../../mock/received.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import { DeskError } from './desk-error.ts';
import { DeskService, type DeskSurroundings } from './desk-service.ts';
import { DeskState, type KeptCertificate } from './engagement.ts';
import { front } from './front.ts';
import { type EventLog, type FaultOfLine, openLog, setAside, takeDeskLock } from './log.ts';
import { deskReceiver } from './receive.ts';

export interface DeskOptions extends Pick<DeskSurroundings, 'judge' | 'explainSignature' | 'baseStringOf'> {
  /** Port for clients on 127.0.0.1; the page has the next one where clients speak HTTPS. 0 for any free ones. */
  readonly port: number;
  readonly plainHttp: boolean;
  /** Name of this machine in base URLs; default 127.0.0.1. */
  readonly host?: string;
  readonly stateFile: string;
  readonly faultOfLine: FaultOfLine;
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

const loopback = '127.0.0.1';
const maxHeaderBytes = 64 * 1024;

/** Throws DeskError, or MockError where a port cannot be opened or the public URL is none. */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  const { stateFile, port, now, judge, explainSignature, baseStringOf, host = loopback } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const lock = takeDeskLock(stateFile);
  // Whatever fails from here on, what was opened is closed again, the last first.
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    const { log, events, faults, remark } = await openLog(stateFile, options.faultOfLine);
    undo.push(() => log.close());
    const state = new DeskState();
    const astray = events.flatMap(({ line, event }) => {
      const why = state.apply(event);
      return why === undefined ? [] : [{ line, why: `it ${why}` }];
    });
    const remarks = [remark, setAside([...faults, ...astray])].filter((one) => one !== undefined);

    const tls = options.plainHttp ? undefined : await keptCertificate(state, log, now());
    const caFile = tls && `${stateFile.replace(/\.jsonl$/, '')}-ca.pem`;
    if (tls !== undefined) await writeAuthority(caFile!, tls.authority);
    let origin = '';
    const service = new DeskService({ state, log, now, judge, explainSignature, baseStringOf, origin: () => origin });
    const listen = async (at: number, handler: ReturnType<typeof front>, keys?: KeptCertificate) => {
      const what = { server: 'desk', caFile: caFile ?? '', plain: 'with --plain-http' };
      const onLost = (lost: LostConnection) => service.lose(whyLost(lost, what));
      const listener = await openListener(
        { host: keys ? host : loopback, port: at, maxHeaderBytes, tls: keys, onLost },
        handler,
      );
      undo.push(() => listener.close());
      return listener.port;
    };
    const scheme = tls ? 'https' : 'http';
    const about = { publicHost: publicUrl?.host, caFile };
    const clients = deskReceiver(service, scheme, publicUrl);
    const clientPort = await listen(port, front(service, { ...about, clients }), tls);
    const pagePort = tls ? await listen(port === 0 ? 0 : port + 1, front(service, about)) : clientPort;
    origin = publicUrl
      ? `${publicUrl.scheme}://${publicUrl.host}${publicUrl.prefix}`
      : `${scheme}://${host}:${clientPort}`;
    return { pageUrl: `http://${loopback}:${pagePort}/desk`, origin, caFile, service, remarks, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are valid for 30 days; a client is not to find one that ends in the middle of its work. */
const keptMs = 28 * dayMs;

/** That of an earlier start while it serves, otherwise a new one for this machine. The authority's key is forgotten at once. */
async function keptCertificate({ certificate }: DeskState, log: EventLog, now: number): Promise<KeptCertificate> {
  if (certificate !== undefined && now - certificate.issuedAt < keptMs && now >= certificate.issuedAt - dayMs) {
    return certificate;
  }
  const authority = newAuthority(now);
  const issued = authority.issue({ names: [loopback, 'localhost', '::1'] });
  const fresh = { authority: authority.certificatePem, ...issued, issuedAt: now };
  await log.append({ t: 'certificate', certificate: fresh });
  return fresh;
}

async function writeAuthority(path: string, pem: string): Promise<void> {
  try {
    await writeWholeFile(path, pem);
  } catch (cause) {
    const what = `${path} cannot be written (${reasonOf(cause)})`;
    throw new DeskError('state-unwritable', what, 'name a state file in another folder', cause);
  }
}
