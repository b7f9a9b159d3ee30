/** `countersign desk`: a local gateway for clients without an adapter, with a page that says what is right and what is not. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { ExplainSignature } from '../../extras/desk/signature-note.ts';
import type { RunningDesk } from '../../extras/desk/start-desk.ts';
import { countedWord } from '../../record/counted-word.ts';
import { printedJson } from '../../report/visible.ts';
import type { CommandSurroundings } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { hostOption } from './mock.ts';

interface DeskCommandOptions {
  readonly port: number;
  readonly host: string;
  readonly plainHttp?: true;
  readonly state: string;
  readonly publicUrl?: string;
  readonly json?: true;
}

/** Fixed, so that a client keeps its base URL when the desk is started again. */
const defaultPort = 7420;

export function deskCommand(surroundings: CommandSurroundings): Command {
  return new Command('desk')
    .description(
      'Starts a local gateway for clients without an adapter. A page gives each client credentials, a base URL and a plan, ' +
        'and shows each requirement turn green or red.',
    )
    .option(
      '--port <n>',
      'port for clients on 127.0.0.1, 0 for any free one; the page has the next one',
      portOf,
      defaultPort,
    )
    .addOption(hostOption())
    .option('--plain-http', 'speak HTTP with clients that cannot do HTTPS; the page is then on the same port')
    .option('--state <file>', 'file that keeps everything over restarts', '.countersign/desk.jsonl')
    .option('--public-url <url>', 'base URL that clients use, where a proxy or a tunnel is in front')
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign desk\n  countersign desk --port 8080 --plain-http --state my-client.jsonl',
    )
    .action((options: DeskCommandOptions) => serve(options, surroundings));
}

/** Runs until it is interrupted. */
async function serve(options: DeskCommandOptions, surroundings: CommandSurroundings): Promise<void> {
  const interrupted = surroundings.interrupted();
  const desk = await start(options);
  try {
    surroundings[options.json ? 'out' : 'err'](greeting(options, desk));
    if (!options.json) await tellOfRequests(desk, surroundings);
    await aborted(interrupted);
  } finally {
    await desk.close();
  }
}

async function tellOfRequests({ service }: RunningDesk, surroundings: CommandSurroundings): Promise<void> {
  const { lineOf } = await import('../../extras/desk/view.ts');
  service.watch((changed, exchange) => {
    const line = lineOf(service, changed, exchange);
    if (line !== undefined) surroundings.err(`${line}\n`);
  });
}

async function start(options: DeskCommandOptions): Promise<RunningDesk> {
  const { DeskError } = await import('../../extras/desk/desk-error.ts');
  const { startDesk } = await import('../../extras/desk/start-desk.ts');
  const { MockError } = await import('../../mock/index.ts');
  const { judgeCalls } = await import('../../verdict/client/judge-calls.ts');
  const { validate } = await import('../../../schemas/index.ts');
  try {
    return await startDesk({
      port: options.port,
      host: options.host,
      plainHttp: options.plainHttp === true,
      stateFile: resolve(options.state),
      publicUrl: options.publicUrl,
      now: Date.now,
      faultOfLine: (value) => validate('desk-line', value)[0]?.sentence,
      judge: judgeCalls,
      explainSignature: await explainer(),
    });
  } catch (cause) {
    if (!(cause instanceof DeskError) && !(cause instanceof MockError)) throw cause;
    const hint = `${cause.hint.charAt(0).toUpperCase()}${cause.hint.slice(1)}.`;
    throw new UsageError(cause.message, hint, cause);
  }
}

/** Names the defect behind a wrong signature. */
async function explainer(): Promise<ExplainSignature> {
  const { explainSignature } = await import('../text/autopsy-text.ts');
  const { autopsyKeys } = await import('../../autopsy/index.ts');
  return ({ request }, keys, consumerKey) => explainSignature(request, autopsyKeys(consumerKey, keys));
}

function greeting(
  { json, state }: DeskCommandOptions,
  { pageUrl, origin, caFile, remarks, service }: RunningDesk,
): string {
  if (json)
    return printedJson({ pageUrl, apiUrl: `${pageUrl}/api`, origin, caFile, stateFile: resolve(state), remarks });
  const count = service.all().length;
  const lines: (readonly [string, string | undefined])[] = [
    ['page', pageUrl],
    ['API', `${pageUrl}/api/engagements`],
    ['clients', `${origin}/<engagement>`],
    ['trust', caFile],
    ['state', `${state} (${countedWord(count, 'engagement')})`],
    ['stop it', 'Ctrl+C'],
  ];
  return [
    'The desk is ready.',
    ...remarks.map((remark) => `  Note: ${remark}.`),
    ...lines.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(8)}  ${text}`])),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_534) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65534; the page has the next one.');
  }
  return port;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
