/** Starts the desk: opens its state file and its servers on 127.0.0.1. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { newAuthority } from '../../mock/certificates.ts';
import {
  connectionNumbers,
  type LostConnection,
  lossReason,
  openListener,
  readBody,
  received,
  refuseUnread,
} from '../../mock/listener.ts';
import { asTheClientSaw, type PublicUrl, readPublicUrl } from '../../mock/received.ts';
import { serveRoutes } from '../../mock/router.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { DeskService } from './desk-service.ts';
import { deskSite } from './routes.ts';
import { engagementOf, isCall } from './script.ts';
import {
  DeskError,
  DeskState,
  type EventLog,
  type KeptCertificate,
  openLog,
  takeDeskLock,
  unwritable,
} from './state.ts';

interface DeskOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Port for clients. With HTTPS the page has the next port. 0 means any free ports. */
  readonly port: number;
  readonly plainHttp: boolean;
  /** Host in base URLs; default 127.0.0.1. */
  readonly host?: string;
  readonly stateFile: string;
  readonly publicUrl?: string;
}

export interface RunningDesk {
  readonly pageUrl: string;
  /** Scheme, authority and prefix of all base URLs. */
  readonly origin: string;
  /** Certificate file of the authority that clients must trust; absent without HTTPS. */
  readonly caFile?: string;
  readonly service: DeskService;
  readonly remarks: readonly string[];
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const maxHeaderBytes = 64 * 1024;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Throws DeskError, or MockError if a port cannot be opened or the public URL is invalid. */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  const { stateFile, port, now, host = loopback } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const lock = takeDeskLock(stateFile);
  // If a later step fails, close everything that was opened, in reverse order.
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    const state = new DeskState();
    const { log, remarks } = await openLog(stateFile, state);
    undo.push(() => log.close());
    const tls = options.plainHttp ? undefined : await keptCertificate(state, log, now());
    const caFile = tls && `${stateFile.replace(/\.jsonl$/, '')}-ca.pem`;
    if (caFile !== undefined) {
      await writeWholeFile(caFile, tls!.authority).catch((cause) => {
        throw unwritable(caFile, cause);
      });
    }
    let origin = '';
    const service = new DeskService({ state, log, now, origin: () => origin });
    const listen = async (at: number, handler: Handler, keys?: KeptCertificate) => {
      const what = { server: 'desk', caFile: caFile ?? '', plain: 'with --plain-http' };
      const onLost = (lost: LostConnection) => service.lose(lossReason(lost, what));
      const address = { host: keys ? host : loopback, port: at };
      const listener = await openListener({ ...address, maxHeaderBytes, tls: keys, onLost }, handler);
      undo.push(() => listener.close());
      return listener.port;
    };
    const scheme = tls ? 'https' : 'http';
    const site = deskSite(service, { publicHost: publicUrl?.host, caFile });
    const pages: Handler = (request, response) => serveRoutes(site, request, response);
    const clients = clientHandler(service, scheme, publicUrl);
    const both: Handler = (request, response) => (isForPage(request) ? pages : clients)(request, response);
    const clientPort = await listen(port, both, tls);
    const pagePort = tls ? await listen(port === 0 ? 0 : port + 1, pages) : clientPort;
    origin = publicUrl
      ? `${publicUrl.scheme}://${publicUrl.host}${publicUrl.prefix}`
      : `${scheme}://${host}:${clientPort}`;
    return { pageUrl: `http://${loopback}:${pagePort}/desk`, origin, caFile, service, remarks, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

function isForPage({ method, url = '' }: IncomingMessage): boolean {
  return /^\/desk(?:[/?#]|$)/.test(url) || (method === 'GET' && /^\/(?:[?#]|$)/.test(url));
}

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are valid for 30 days. Replace a certificate after 28 days, so that it does not expire while a client works. */
const keptMs = 28 * dayMs;

/** Returns the stored certificate, or a new certificate if the stored one is too old. Does not store the key of the authority. */
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

/** Limit for the body of a request: enough for a batch of twenty thousand rows. */
const maxCallBytes = 2 * 1024 * 1024;

/** Never rejects. Records requests with `publicUrl`, because clients behind a proxy sign the public URL. */
function clientHandler(desk: DeskService, scheme: 'http' | 'https', publicUrl?: PublicUrl): Handler {
  const numberOf = connectionNumbers();
  return async (request, response) => {
    const startedAt = desk.surroundings.now();
    const connection = numberOf(request.socket);
    const body = await readBody(request, maxCallBytes);
    const arrived = received(request, scheme, typeof body === 'string' ? new Uint8Array() : body);
    const seen = publicUrl === undefined ? arrived : (asTheClientSaw(arrived, '', publicUrl) ?? arrived);
    const record = engagementOf(seen, publicUrl?.prefix ?? '', desk.surroundings.state);
    try {
      if (typeof body === 'string') {
        const what = body === 'gone' ? 'was cut off' : `exceeds ${maxCallBytes} bytes`;
        if (record) await desk.noteUnread(record, `a request whose body ${what}`);
        if (body === 'too-large') refuseUnread(request, response);
      } else if (record === undefined) {
        const line = `${seen.method} ${seen.target.split('?')[0]!.slice(0, 120)}`;
        desk.lose(`${line} does not have the path or the consumer key of an engagement. The status was 404.`);
        answerText(response, 404, 'No engagement has this path. Use the base URL on the page of the desk.');
      } else if (!isCall(seen)) {
        const example = `${record.engagement.id}/api/...`;
        answerText(response, 404, `This is the base URL of an engagement. Clients send POST requests to ${example}`);
      } else {
        const { status, headers, body: bytes } = await desk.receive(record, seen, { startedAt, connection });
        response.sendDate = false;
        // Node would add Connection and Keep-Alive. HTTP/1.1 keeps a connection open without these headers (RFC 9112 section 9.3).
        if (response.shouldKeepAlive) response.removeHeader('Connection');
        response.writeHead(status, headers.flat()).end(bytes);
      }
    } catch (cause) {
      const reason = cause instanceof DeskError ? `${cause.message}; ${cause.hint}.` : 'the desk itself failed.';
      // Show the request on the page, because the state file does not contain it.
      desk.lose(`The desk did not record a request of a client: ${reason}`);
      if (response.headersSent) response.destroy();
      else answerText(response, cause instanceof DeskError ? 503 : 500, `Nothing was recorded: ${reason}`);
    }
  };
}

function answerText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { 'Content-Type': 'text/plain;charset=utf-8', 'Content-Length': body.length }).end(body);
}
