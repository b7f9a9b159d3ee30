/** `countersign doctor`: checks configuration, connection, clock and credentials before any verdict. */
import { isLoopback } from '../../record/hosts.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Outcome } from '../../record/result/result.ts';
import type { Block } from '../../report/document.ts';
import { blocksText, painter, textWidth } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import type { Effects } from '../../run/allowance/budget.ts';
import { toUsageError } from '../../run/allowance/ledger.ts';
import { checkSignatures, signaturesUnchecked } from '../../run/doctor/answer-findings.ts';
import { type DoctorEffects, examineTarget, withGuardedSend } from '../../run/doctor/examine-target.ts';
import { refuseIf } from '../../run/options/usage-error.ts';
import { redactorFor, secretsIn } from '../../run/secrets/secret.ts';
import {
  type DoctorFinding,
  doubtIds,
  type LiveConfig,
  ok,
  openConfig,
  problem,
  remark,
  unchecked,
} from '../../run/target/live-config.ts';
import { publishedCredentials } from '../../run/target/published.ts';
import { openTransport } from '../../run/transport/transport.ts';
import { type ExitCode, type Input, type Surroundings, unlessInterrupted } from '../command.ts';
import { readConfig } from '../config/config-file.ts';
import { withDefaultConfig } from '../config/run-flags.ts';
import { loopbackConfig, mergeFlags } from '../config/target-flags.ts';

export async function run(flags: Input<'doctor'>, surroundings: Surroundings): Promise<ExitCode> {
  const options = withDefaultConfig(flags, surroundings.remark);
  const progress: Progress = {};
  const examination = await unlessInterrupted((signal) => examine(options, surroundings, signal, progress));
  if (examination === 'interrupted') {
    const effect = (progress.effects && findingsOn(progress.effects)[0]?.what) ?? 'it sent no request with an effect';
    surroundings.remark(`doctor was interrupted before its end; ${effect}.`);
    return 3;
  }
  const { target, findings } = examination.done;
  const exitCode = exitCodeOf(findings);
  const data = { format: 'countersign-doctor', formatVersion: 1, target, exitCode, findings };
  const layout = { width: textWidth(surroundings.width), colour: surroundings.colour };
  surroundings.out(options.json ? printedJson(data, 2) : doctorText(target, findings, layout));
  return exitCode;
}

/** `effects` is set before the first request, so that an interrupted command can report effects. */
interface Progress {
  effects?: DoctorEffects;
}

async function examine(
  options: Input<'doctor'>,
  { env, remark: warn }: Surroundings,
  signal: AbortSignal,
  progress: Progress,
): Promise<{ readonly target: string; readonly findings: readonly DoctorFinding[] }> {
  const { config: path, target } = options;
  refuseIf(path === undefined && target === undefined)`the target is missing
    Add --config or --target. \`countersign init\` writes a configuration.`;
  const loaded = path === undefined ? undefined : await readConfig(path, env, warn);
  if (loaded !== undefined && 'faults' in loaded) {
    const findings = loaded.faults.map(
      ({ line, sentence, hint }) => problem('config')`${path}:${line}: ${sentence}
        ${hint ?? '`countersign init` writes a file with every key.'}`,
    );
    return { target: target ?? path!, findings };
  }
  const isLocal = target !== undefined && URL.canParse(target) && isLoopback(new URL(target).host);
  const merged: LiveConfig = mergeFlags(loaded?.config ?? (isLocal ? loopbackConfig(target) : undefined), options);
  refuseIf(merged.target === 'mock')`the target is the built-in mock, which needs no check
    Write the base URL of a gateway into the configuration, or add --target.`;
  const open = await openTarget(merged, path, env);
  const redactor = redactorFor(secretsIn(open.credentials ?? {}));
  const { config } = open;
  const transport = openTransport({ deadlineMs: config.deadlineMs, ca: config.ca, redactor });
  try {
    const liveFindings = await withGuardedSend(config, transport, { env, signal }, async (send, effects) => {
      progress.effects = effects;
      return [...carriedFrom(effects.carried), ...(await examineLive(open, send, env)), ...findingsOn(effects)];
    });
    // The user may have written a secret in a wrong place, such as in an endpoint id, so redact all texts.
    return redactor.value({ target: config.target, findings: correctFindings([...open.findings, ...liveFindings]) });
  } catch (cause) {
    throw toUsageError(cause, progress.effects !== undefined);
  } finally {
    await transport.close();
  }
}

type OpenResult = Awaited<ReturnType<typeof openConfig>>;

async function openTarget(merged: LiveConfig, path: string | undefined, env: Surroundings['env']): Promise<OpenResult> {
  const { findings, ...open } = await openConfig(merged, env);
  const fileFindings = path === undefined ? [] : [ok('config')`${path} is readable and fits its schema`];
  if (merged.credentials !== undefined) return { ...open, findings: [...fileFindings, ...findings] };
  if (path === undefined && isLoopback(new URL(merged.target).host)) {
    const sentence = 'without a configuration, a target on this machine gets the published test identity';
    return { ...open, ...publishedCredentials(), findings: [ok('credentials')`${sentence}`] };
  }
  const missing = unchecked('credentials')`secret and key not checked: the configuration has none
    Write credentials into the configuration.`;
  return { ...open, findings: [...fileFindings, missing, ...findings] };
}

async function examineLive(
  { config, credentials, findings: earlier }: OpenResult,
  send: Parameters<typeof checkSignatures>[3],
  env: Surroundings['env'],
): Promise<DoctorFinding[]> {
  const examination = await examineTarget(config, { send, now: Date.now, env });
  const isAuthorityUnusable = earlier.some(({ id, status }) => status === 'problem' && id.startsWith('ca/'));
  const findings = isAuthorityUnusable ? examination.findings.map(withUncheckedIssuer) : examination.findings;
  const blocker = findBlocker([...earlier, ...findings], examination.isAnswering);
  const signatures =
    blocker === undefined
      ? await checkSignatures(config, credentials, examination.clockOffset, send)
      : signaturesUnchecked(blocker);
  return [...findings, ...signatures];
}

function carriedFrom(carried: Effects): DoctorFinding[] {
  if (carried.isNothing()) return [];
  return [
    remark('ledger')`unfinished runs count against the allowance: ${carried}
      Find out what these runs did. Then clear their effects with \`countersign gateway --forget-unfinished\`.`,
  ];
}

function findingsOn({ booked, maximum }: DoctorEffects): DoctorFinding[] {
  const spent = booked();
  const worst = maximum();
  if (worst.isNothing()) return [];
  const hint = ' The next run can use only the rest of the allowance: allow one more close-day and one more payment.';
  return [
    remark('effects')`
      doctor booked ${spent} in the ledger; the worst case is ${worst}
      The worst case: the gateway acts on requests that it refuses, and the endpoint of unknown-endpoint-id exists.${spent.isNothing() ? '' : hint}`,
  ];
}

/** The reason to send no signed request: it would fail and use up the allowance. Undefined if it may succeed. */
function findBlocker(findings: readonly DoctorFinding[], isAnswering: boolean): string | undefined {
  if (!isAnswering) return 'the target does not answer';
  const found = findings.find(
    ({ id, status }) => status === 'problem' && /^(?:path|ca|secret|private-key)/.test(id) && !doubtIds.has(id),
  );
  return found === undefined ? undefined : 'solve the problems above first';
}

function withUncheckedIssuer(finding: DoctorFinding): DoctorFinding {
  return finding.status === 'problem' && /^tls\/(?:authority|self-signed|chain)$/.test(finding.id)
    ? unchecked(finding.id)`certificate not checked: ca in the configuration names a file that cannot be used`
    : finding;
}

/** Corrects findings on secret, clock and path: an accepted signature shows that they are right. */
function correctFindings(findings: readonly DoctorFinding[]): DoctorFinding[] {
  const isOk = (id: string) => findings.some((finding) => finding.id === id && finding.status === 'ok');
  const isCloseDayOk = isOk('signature/close-day');
  const isRecurringOk = isOk('signature/process-recurring-payments');
  return findings.map((finding): DoctorFinding => {
    const { id, status, what } = finding;
    if (status === 'problem' && doubtIds.has(id) && isCloseDayOk) {
      return { id, status: 'remark', what: `${what}; the gateway accepts it` };
    }
    if (status !== 'unchecked') return finding;
    if (id === 'path' && isCloseDayOk && isRecurringOk) return ok('path')`both operations answer under this base URL`;
    return id === 'clock' && (isCloseDayOk || isRecurringOk) ? { ...finding, status: 'remark' } : finding;
  });
}

function exitCodeOf(findings: readonly DoctorFinding[]): ExitCode {
  const problems = findings.filter(({ status }) => status === 'problem').map(({ id }) => id);
  // If the configuration or a file that it names is unusable, the exit code is 2, the same as for a run.
  if (problems.some((id) => /^(?:config$|(?:ca|secret|private-key)\/)/.test(id) && !doubtIds.has(id))) return 2;
  if (problems.some((id) => /^(?:reachable|tls)/.test(id))) return 3;
  return problems.length > 0 || findings.some(({ status }) => status === 'unchecked') ? 1 : 0;
}

const outcomeByStatus: Readonly<Record<DoctorFinding['status'], Outcome>> = {
  ok: 'pass',
  problem: 'fail',
  unchecked: 'inconclusive',
  remark: 'not-applicable',
};

/** The report of doctor for a terminal. `width` is the number of columns. */
export function doctorText(
  target: string,
  findings: readonly DoctorFinding[],
  { width, colour }: { readonly width: number; readonly colour: boolean },
): string {
  const cards = findings.map(({ status, what, hint }): Block => {
    const blocks: Block[] = hint === undefined ? [] : [{ text: { muted: hint } }];
    return { card: { outcome: outcomeByStatus[status], title: { value: what }, blocks } };
  });
  const head = painter(colour)('bold', visible(target));
  return `${head}\n${blocksText(cards, { width, colour, indent: 2 })}${summary(findings)}\n`;
}

function summary(findings: readonly DoctorFinding[]): string {
  const count = (status: DoctorFinding['status']) => findings.filter((finding) => finding.status === status).length;
  const problemCount = count('problem');
  const uncheckedCount = count('unchecked');
  if (problemCount + uncheckedCount === 0) return 'All checks passed.';
  const results = [
    problemCount === 0 ? 'No problem' : pluralize(problemCount, 'problem'),
    ...(uncheckedCount === 0 ? [] : [`${uncheckedCount} not checked`]),
    `${count('ok')} passed`,
  ];
  return `${results.join(', ')}.`;
}
