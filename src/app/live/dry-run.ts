/** `--dry-run`: what would be sent, and what it could do at worst. Nothing is sent, and nothing is written. */
import { statSync } from 'node:fs';
import { countedWord } from '../../record/counted-word.ts';
import type { Unnoticed } from '../../record/result/unnoticed.ts';
import { field } from '../../report/terminal.ts';
import { allowancesInWords, unnoticedInWords } from '../../report/unnoticed.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { spentInWords } from '../../run/allowance/budget.ts';
import { openLedger } from '../../run/allowance/ledger.ts';
import { type LedgerPlace, ledgerPlace } from '../../run/allowance/ledger-place.ts';
import { planMock } from '../../run/gateway/plan-mock.ts';
import { type Before, nothingBefore, planRun } from '../../run/live/plan.ts';
import { planText } from '../../run/live/print-plan.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { allowsEffects, type LiveConfig } from '../../run/target/live-config.ts';
import { storedConfig } from '../../run/target/live-run.ts';
import { unnoticedWhereJudged } from '../../verdict/forecast/by-requirements.ts';
import { countingRows, forecast } from '../../verdict/forecast/forecast.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { hindered } from '../usage-error.ts';

/** The plan, or the same as data. Throws UsageError where the ledger cannot be read. */
export async function printPlan(
  options: RunOptions,
  live: LiveConfig | undefined,
  forgetUnfinished: boolean,
  { out, env, err, width }: CommandSurroundings,
): Promise<void> {
  if (live === undefined) return printMockPlan(options, { out, width });
  const { before, ledger, forgets } = carriedInto(options, live, forgetUnfinished, { env, err });
  const planned = { ...options, live: { config: storedConfig(live) } };
  const plan = planRun(planned, before);
  const unnoticed = forecast(planned, { before });
  if (options.json) out(printedJson({ ...plan, ledger, unnoticed }, 2));
  else {
    const left = forgets === undefined ? '' : `  would forget    ${forgets}\n`;
    out(wrappedPlan(`${planText(plan, ledger)}${left}${forecastText(unnoticed)}`, width));
  }
}

/** Columns in front of what a line of the plan says. */
const labelWidth = 18;

/** The plan as a terminal of that width shows it; a file or a pipe gets each line whole. */
export function wrappedPlan(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const lines = text.split('\n').flatMap((line) => {
    if (line.length <= width) return [line];
    const isHead = !line.startsWith('  ');
    const said = isHead ? 0 : labelWidth + /^ */.exec(line.slice(labelWidth))![0].length;
    return field(line.slice(0, said), line.slice(said), { indent: 0, labelWidth: said, width });
  });
  return lines.join('\n');
}

/** Lines with a line end each. */
function forecastText(unnoticed: Unnoticed): string {
  return [
    `  not ruled out   ${unnoticedInWords(unnoticed)}`,
    ...allowancesInWords(unnoticed).map(({ flags, brings }) => `                  ${flags}  ${brings}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

export interface Carried {
  /** What counts against the allowance before the run begins. */
  readonly before: Before;
  readonly ledger: LedgerPlace;
  /** What is cleared, in words; absent where nothing is. */
  readonly forgets?: string;
}

/** What earlier runs did that did not end. Throws UsageError where the ledger cannot be read. */
export function carriedInto(
  { runId }: Pick<RunOptions, 'runId'>,
  live: LiveConfig,
  forgetUnfinished: boolean,
  { env, err }: Pick<CommandSurroundings, 'env' | 'err'>,
): Carried {
  try {
    const ledger = ledgerPlace(live, env, process.cwd());
    const before = openLedger(ledger.path, runId).balance();
    // An empty one says no more than none.
    if (allowsEffects(live.allow) && !statSync(ledger.path, { throwIfNoEntry: false })?.size) {
      err(
        `countersign: there is no ledger at ${visible(ledger.path)} yet: what other runs did to this target is not known here.\n`,
      );
    }
    if (!forgetUnfinished) return { before, ledger };
    return { before: nothingBefore, ledger, forgets: `${spentInWords(before.carried)} of earlier runs` };
  } catch (cause) {
    throw hindered(cause, false);
  }
}

function printMockPlan(options: RunOptions, { out, width }: Pick<CommandSurroundings, 'out' | 'width'>): void {
  const plan = planMock(options);
  const { scenarios, predicted } = plan;
  const unnoticed =
    options.path === undefined ? unnoticedWhereJudged('gateway', new Set(countingRows(options))) : undefined;
  if (options.json) out(printedJson({ ...plan, unnoticed }, 2));
  else {
    const text =
      `the plan for the built-in mock, which is thrown away afterwards: ${countedWord(scenarios, 'scenario')}, ` +
      `closes-day ${predicted['closes-day']}, starts-payments ${predicted['starts-payments']}\n` +
      (unnoticed === undefined ? '' : forecastText(unnoticed));
    out(wrappedPlan(text, width));
  }
}
