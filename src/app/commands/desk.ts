/** `countersign desk`: a local gateway for clients without an adapter, with a page of findings. */
import { resolve } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { DeskCore } from '../../extras/desk/desk-service.ts';
import type { RunningDesk } from '../../extras/desk/start-desk.ts';
import { pluralize } from '../../record/pluralize.ts';
import { fact } from '../../report/document.ts';
import { field, textWidth } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { UsageError } from '../../run/options/usage-error.ts';
import { redactorFor, secretText } from '../../run/secrets/secret.ts';
import { judgeCalls } from '../../verdict/conclude.ts';
import { baseStringOf } from '../../verdict/gateway-evidence.ts';
import { type Input, type Surroundings, untilAborted } from '../command.ts';
import { printReady } from '../print.ts';

export async function run(options: Input<'desk'>, surroundings: Surroundings): Promise<0> {
  const signal = surroundings.abortSignal();
  const desk = await start(options);
  try {
    surroundings[options.json ? 'out' : 'err'](greeting(options, desk));
    if (!options.json) {
      for (const one of desk.remarks) surroundings.remark(`Note: ${one}.`);
      await printRequests(desk, surroundings);
    }
    await untilAborted(signal);
    return 0;
  } finally {
    await desk.close();
  }
}

/** Above this number of exchanges, judging after every request slows the client down. */
const maxJudged = 200;

async function printRequests({ service }: RunningDesk, { err, errWidth }: Surroundings): Promise<void> {
  const { mistakesAt, renumberedResult } = await import('../../extras/desk/desk-service.ts');
  const print = (time: number, text: string) => {
    const layout = { indent: 0, labelWidth: 10, width: textWidth(errWidth) };
    err(`${field(new Date(time).toISOString().slice(11, 19), visible(text), layout).join('\n')}\n`);
  };
  service.changes.on('change', (engagementId, exchangeNumber) => {
    const [loss] = service.failures;
    if (engagementId === undefined) return loss && print(loss.at, `! ${loss.why}`);
    const record = service.find(engagementId);
    const stored = record.exchanges.find(({ number }) => number === exchangeNumber);
    if (stored === undefined) return;
    const { step = 'outside the plan', number, exchange: httpExchange } = stored;
    const formatVerdict = () => {
      const mistakes = mistakesAt([number], renumberedResult(record, service)).map(({ sentence }) => sentence);
      return mistakes.length > 0 ? `✗ ${mistakes.join(' ')}` : '✓ no mistake';
    };
    const verdict = record.exchanges.length <= maxJudged ? formatVerdict() : 'see the page for its verdict';
    const label = `${record.engagement.name}, request ${number}, ${step}, answered ${httpExchange.response?.status}`;
    print(httpExchange.startedAt, `${label}: ${verdict}`);
  });
}

/** The functions of the suite that the desk calls. */
export const core: DeskCore & { faultOfLine(value: unknown): string | undefined } = {
  now: Date.now,
  judgeCalls,
  baseStringOf,
  redactorFor: (secrets) => redactorFor(secrets.map((text) => secretText('a secret of the desk', text))),
  faultOfLine: (value) => validate('desk-line', value)[0]?.sentence,
};

async function start(options: Input<'desk'>): Promise<RunningDesk> {
  const { DeskError } = await import('../../extras/desk/state.ts');
  const { startDesk } = await import('../../extras/desk/start-desk.ts');
  const { MockError } = await import('../../mock/index.ts');
  try {
    return await startDesk({
      ...core,
      port: options.port,
      host: options.host,
      plainHttp: options.plainHttp === true,
      stateFile: resolve(options.state),
      publicUrl: options.publicUrl,
    });
  } catch (cause) {
    if (!(cause instanceof DeskError) && !(cause instanceof MockError)) throw cause;
    const hint = `${cause.hint.charAt(0).toUpperCase()}${cause.hint.slice(1)}.`;
    throw new UsageError(cause.message, hint, cause);
  }
}

function greeting({ json, state }: Input<'desk'>, { pageUrl, origin, caFile, remarks, service }: RunningDesk): string {
  const data = { pageUrl, apiUrl: `${pageUrl}/api`, origin, caFile, stateFile: resolve(state), remarks };
  if (json) return printedJson(data);
  return printReady('The desk is ready.', [
    ...fact('page', pageUrl),
    ...fact('API', `${pageUrl}/api/engagements`),
    ...fact('clients', `${origin}/<engagement>`),
    ...fact('trust', caFile),
    ...fact('state', `${state} (${pluralize(service.all().length, 'engagement')})`),
    ...fact('stop it', 'Ctrl+C'),
  ]);
}
