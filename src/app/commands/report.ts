/** `countersign report`: shows the page of a stored run on this machine, or writes it to a file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { questionOf } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { reasonOf } from '../../record/errors.ts';
import { htmlReport } from '../../report/pages/report-page.ts';
import { printedJson } from '../../report/visible.ts';
import { usageError } from '../../run/options/usage-error.ts';
import { baseStringOf } from '../../verdict/gateway-evidence.ts';
import { type Input, type Surroundings, untilAborted } from '../command.ts';
import { openRun } from '../config/stored-runs.ts';
import { writePage } from '../print.ts';

export async function run(
  path: string,
  { open, out: file, port, json }: Input<'report'>,
  surroundings: Surroundings,
): Promise<0> {
  const { out, err } = surroundings;
  const { result, cases = [] } = await openRun(path);
  const page = htmlReport(result, { statements: requirementById, questions: questionOf, cases, baseStringOf });
  if (file !== undefined) {
    await writePage(file, page);
    if (json) out(printedJson({ written: [file] }));
    return 0;
  }
  const signal = surroundings.abortSignal();
  const server = createServer((request, response) => respond(request, response, page));
  const address = await listen(server, port);
  out(json ? printedJson({ url: address }) : `${address}\n`);
  if (!json) err('The page stays at this address until you press Ctrl+C.\n');
  if (open) openInBrowser(address, surroundings);
  try {
    await untilAborted(signal);
    return 0;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Refuses a foreign Host header: a web page whose host name resolves to this machine must not read the report. */
function respond({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse, page: string): void {
  const status = statusOf(method, url, headers.host);
  response.writeHead(status, {
    'Content-Type': status === 200 ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  const body = status === 200 ? page : `${status}\n`;
  response.end(method === 'HEAD' ? undefined : body);
}

function statusOf(method: string, url: string, host = ''): number {
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host)) return 403;
  if (url.split('?')[0] !== '/') return 404;
  return method === 'GET' || method === 'HEAD' ? 200 : 405;
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    throw usageError(cause)`port ${port} on 127.0.0.1 cannot be used (${reasonOf(cause)})
      Write another port, or remove --port to use any free port.`;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function openInBrowser(address: string, { err, env }: Surroundings): void {
  const commands: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };
  const [command = '', ...rest] = commands[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...rest, address], { stdio: 'ignore', detached: true, env });
  const printFailure = () => err(`No browser could be started. Open ${address} yourself.\n`);
  child.once('error', printFailure);
  child.once('exit', (code) => code !== 0 && printFailure());
  child.unref();
}
