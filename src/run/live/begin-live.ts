/**
 * Opens a live run: lock and ledger first, then everything about the target that can be known without an effect; and
 * what is asked once its last case is over.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { spentInWords } from '../allowance/budget.ts';
import { newGuard, newPace } from '../allowance/guard.ts';
import { LiveError, ledgerPlace, openLedger, takeLedgerLock } from '../allowance/ledger.ts';
import { balanceOf, type LedgerBalance } from '../allowance/ledger-lines.ts';
import { judgedByTheRun } from '../doctor/answers.ts';
import { doctorSend, examineTarget } from '../doctor/examine-target.ts';
import type { RunOptions } from '../options/run-options.ts';
import { redactorFor } from '../secrets/scan.ts';
import { secretsAt } from '../secrets/secret.ts';
import { controlOf, type MockCounters } from '../target/control.ts';
import type { Environment } from '../target/credentials.ts';
import type { DoctorFinding } from '../target/examination.ts';
import type { LiveConfig, LiveRun } from '../target/live-config.ts';
import { siteOf } from '../target/site.ts';
import { openTransport } from '../transport/transport.ts';

interface BegunRun {
  readonly live: LiveRun;
  /** Why the run cannot go on, and what to do about it; undefined where the target is as it should be. */
  readonly hindrance?: { readonly reason: string; readonly hint: string };
  /** Gives the target back. `complete`: the run has a report; without one, what it did counts into the next run. */
  end(complete: boolean): void;
}

type BeginOptions = Pick<RunOptions, 'runId'> & {
  readonly config: LiveConfig;
  readonly forgetUnfinished?: boolean;
};

/** Throws LiveError where another run is at the target, or the ledger cannot be read or written. */
export async function beginLive(
  { runId, config, forgetUnfinished = false }: BeginOptions,
  env: Environment,
  cwd: string,
): Promise<BegunRun> {
  const { path } = ledgerPlace(config, env, cwd);
  const lock = takeLedgerLock(`${path}.lock`);
  const ledger = openLedger(path, runId);
  const end = (complete: boolean) => {
    try {
      if (complete) ledger.end();
    } finally {
      lock.release();
    }
  };
  try {
    ledger.begin(config.target, config.endpointId, config.allow);
    const { carried } = ledger.balance();
    if (forgetUnfinished) ledger.forgetUnfinished();
    const { findings, clockOffset, accepted } = await examine(config, ledger, env);
    const countersBefore = await counters(config);
    return {
      live: {
        config: accepted.length === 0 ? config : withoutUnknown(config),
        ledger: path,
        holder: process.pid,
        clockOffset,
        ...(typeof countersBefore === 'string' ? {} : { countersBefore }),
        ...(accepted.length === 0 ? {} : { accepted }),
        notes: [
          ...(forgetUnfinished ? [`Forgotten on request: ${spentInWords(carried)}, which earlier runs had left.`] : []),
          ...findings.filter(isNote).map(asNote),
          ...(accepted.length === 0 ? [] : [noteOnAccepted(config)]),
        ],
      },
      ...hindranceOf(findings, typeof countersBefore === 'string' ? countersBefore : undefined),
      end,
    };
  } catch (cause) {
    end(false);
    throw cause;
  }
}

/** An endpoint that accepts a request may not be asked without an allowance. */
function withoutUnknown({ unknownEndpointId: _, ...config }: LiveConfig): LiveConfig {
  return config;
}

function noteOnAccepted({ unknownEndpointId }: LiveConfig): string {
  return (
    `Nothing more was sent to endpoint ${unknownEndpointId}: it is named as unknown and accepts requests. ` +
    'What it accepted counts as an effect.'
  );
}

async function examine(config: LiveConfig, ledger: ReturnType<typeof openLedger>, env: Environment) {
  const { rate, deadlineMs, ca } = config;
  // What is accepted here becomes evidence.
  const transport = openTransport({ deadlineMs, ca, redactor: redactorFor(await secretsAt(config.credentials, env)) });
  const guard = newGuard({ site: siteOf(config), limits: config, ledger, pace: newPace({ rate, sleep }) });
  try {
    return await examineTarget(config, {
      send: doctorSend(guard, (request) => transport.send(request)),
      now: Date.now,
      env,
    });
  } finally {
    await transport.close();
  }
}

async function counters({ controlUrl }: LiveConfig) {
  if (controlUrl === undefined) return undefined;
  try {
    return await controlOf(controlUrl).counters();
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function hindranceOf(findings: readonly DoctorFinding[], noControl: string | undefined): Pick<BegunRun, 'hindrance'> {
  const problem = findings.find(
    ({ id, status }) => status === 'problem' && /^(?:reachable|tls|path)/.test(id) && !judgedByTheRun.has(id),
  );
  if (problem !== undefined) return { hindrance: { reason: problem.what, hint: problem.hint ?? '' } };
  if (noControl === undefined) return {};
  return { hindrance: { reason: noControl, hint: 'Check control-url, or remove it.' } };
}

function isNote({ status }: DoctorFinding): boolean {
  return status === 'problem' || status === 'remark';
}

function asNote({ what }: DoctorFinding): string {
  return `${what[0]?.toUpperCase()}${what.slice(1)}.`;
}

export const interruptedReason = 'the run was interrupted before its end';

export interface EndOfLive {
  readonly balance: LedgerBalance;
  /** Absent where there is no control interface, or it does not answer any more. */
  readonly countersAfter?: MockCounters;
}

export async function endOfLive({ runId, live }: RunOptions & { readonly live: LiveRun }): Promise<EndOfLive> {
  const { controlUrl } = live.config;
  const balance = balanceAfter(live.ledger, runId);
  try {
    return controlUrl === undefined ? { balance } : { balance, countersAfter: await controlOf(controlUrl).counters() };
  } catch {
    return { balance };
  }
}

/** A ledger that cannot be read any more is one that knows nothing of the run: what was sent and received is told all the same. */
export function balanceAfter(path: string, runId: string): LedgerBalance {
  try {
    return openLedger(path, runId).balance();
  } catch (cause) {
    if (cause instanceof LiveError) return balanceOf([], runId);
    throw cause;
  }
}
