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
import { type Given, type Surroundings, untilAborted } from '../command.ts';
import { printReady } from '../print.ts';

export async function run(options: Given<'desk'>, surroundings: Surroundings): Promise<0> {
  const interrupted = surroundings.interrupted();
  const desk = await start(options);
  try {
    surroundings[options.json ? 'out' : 'err'](greeting(options, desk));
    if (!options.json) {
      for (const one of desk.remarks) surroundings.remark(`Note: ${one}.`);
      await printRequests(desk, surroundings);
    }
    await untilAborted(interrupted);
    return 0;
  } finally {
    await desk.close();
  }
}

/** Above this number of exchanges, judging after every request slows the client down. */
const maxJudged = 200;

async function printRequests({ service }: RunningDesk, { err, errWidth }: Surroundings): Promise<void> {
  const { mistakesAt, shownResult } = await import('../../extras/desk/desk-service.ts');
  const print = (at: number, text: string) => {
    const layout = { indent: 0, labelWidth: 10, width: textWidth(errWidth) };
    err(`${field(new Date(at).toISOString().slice(11, 19), visible(text), layout).join('\n')}\n`);
  };
  service.changes.on('change', (changed, exchange) => {
    const [lost] = service.lost;
    if (changed === undefined) return lost && print(lost.at, `! ${lost.why}`);
    const record = service.find(changed);
    const kept = record.exchanges.find(({ number }) => number === exchange);
    if (kept === undefined) return;
    const { step = 'outside the plan', number, exchange: seen } = kept;
    const judged = () => {
      const mistakes = mistakesAt([number], shownResult(record, service)).map(({ sentence }) => sentence);
      return mistakes.length > 0 ? `✗ ${mistakes.join(' ')}` : '✓ no mistake';
    };
    const verdict = record.exchanges.length <= maxJudged ? judged() : 'see the page for its verdict';
    const about = `${record.engagement.name}, request ${number}, ${step}, answered ${seen.response?.status}`;
    print(seen.startedAt, `${about}: ${verdict}`);
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

async function start(options: Given<'desk'>): Promise<RunningDesk> {
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

function greeting({ json, state }: Given<'desk'>, { pageUrl, origin, caFile, remarks, service }: RunningDesk): string {
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
