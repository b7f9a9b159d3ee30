/** `countersign desk`: a local gateway for clients without an adapter, with a page of findings. */
import { resolve } from 'node:path';
import type { RunningDesk } from '../../extras/desk/start-desk.ts';
import { pluralize } from '../../record/pluralize.ts';
import { fact } from '../../report/document.ts';
import { field, textWidth } from '../../report/terminal.ts';
import { printedJson } from '../../report/visible.ts';
import { UsageError } from '../../run/options/usage-error.ts';
import type { Given, Surroundings } from '../command.ts';
import { untilAborted } from '../interrupt.ts';
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

/** Prints each change of the desk: its time, and a text that is wrapped in its own column. */
async function printRequests({ service }: RunningDesk, { err, errWidth }: Surroundings): Promise<void> {
  const { lineOf } = await import('../../extras/desk/view.ts');
  service.watch((changed, exchange) => {
    const line = lineOf(service, changed, exchange);
    if (line === undefined) return;
    const layout = { indent: 0, labelWidth: 10, width: textWidth(errWidth) };
    err(`${field(line.slice(0, 8), line.slice(10), layout).join('\n')}\n`);
  });
}

async function start(options: Given<'desk'>): Promise<RunningDesk> {
  const { DeskError } = await import('../../extras/desk/state.ts');
  const { startDesk } = await import('../../extras/desk/start-desk.ts');
  const { MockError } = await import('../../mock/index.ts');
  try {
    return await startDesk({
      port: options.port,
      host: options.host,
      plainHttp: options.plainHttp === true,
      stateFile: resolve(options.state),
      publicUrl: options.publicUrl,
      now: Date.now,
    });
  } catch (cause) {
    if (!(cause instanceof DeskError) && !(cause instanceof MockError)) throw cause;
    const hint = `${cause.hint.charAt(0).toUpperCase()}${cause.hint.slice(1)}.`;
    throw new UsageError(cause.message, hint, cause);
  }
}

function greeting({ json, state }: Given<'desk'>, { pageUrl, origin, caFile, remarks, service }: RunningDesk): string {
  if (json)
    return printedJson({ pageUrl, apiUrl: `${pageUrl}/api`, origin, caFile, stateFile: resolve(state), remarks });
  const count = service.all().length;
  return printReady('The desk is ready.', [
    ...fact('page', pageUrl),
    ...fact('API', `${pageUrl}/api/engagements`),
    ...fact('clients', `${origin}/<engagement>`),
    ...fact('trust', caFile),
    ...fact('state', `${state} (${pluralize(count, 'engagement')})`),
    ...fact('stop it', 'Ctrl+C'),
  ]);
}
