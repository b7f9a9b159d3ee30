/** Reads Pact files (Pact specification 4), and makes the rows of a report from the JSON of the Pact verifier. */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readRegularText, unreadableReason } from '../../record/disk/files.ts';
import type { ContractRow } from '../../record/result/result.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { hasOnlyExclusions } from '../../run/options/selection.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { isProviderState, unknownState } from './signing-forwarder.ts';

export interface PactFile {
  readonly name: string;
  readonly path: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
}

interface PactInteraction {
  readonly description: string;
  readonly state: string;
}

/** Reads the Pact files of a folder, sorted by name. If there are none, throws an error, so that the run fails. */
export async function readPactFiles(folder: string = join(packageRoot, 'contracts', 'pacts')): Promise<PactFile[]> {
  const found = await readdir(folder).catch((cause) => {
    throw new Error(`the folder of Pact files ${folder} ${unreadableReason(cause).unreadable}`, { cause });
  });
  const names = found.filter((name) => name.endsWith('.json')).sort();
  if (names.length === 0) throw new Error(`${folder} has no Pact file`);
  return Promise.all(names.map((name) => readPactFile(join(folder, name), name)));
}

/** Makes names unique: appends a number to a name that has occurred before. */
export function distinctNames(names: readonly string[]): string[] {
  const used = new Set(names);
  return names.map((name, at) => {
    if (names.indexOf(name) === at) return name;
    let number = 2;
    while (used.has(`${name} (${number})`)) number += 1;
    const distinct = `${name} (${number})`;
    used.add(distinct);
    return distinct;
  });
}

interface PactJson {
  readonly provider: { readonly name: string };
  readonly interactions: readonly {
    readonly description: string;
    readonly providerStates?: readonly { readonly name: string }[];
    readonly providerState?: string;
  }[];
}

/** Keeps a run short: the verifier may need the full time limit for each interaction. */
const maxInteractions = 300;

/** Returns why a value is not a pact, or undefined for a pact. */
export function pactFault(pact: unknown): string | undefined {
  const { provider, interactions } = (pact ?? {}) as { provider?: { name?: unknown } | null; interactions?: unknown };
  if (typeof provider?.name !== 'string') return 'provider.name is not text';
  if (!Array.isArray(interactions)) return 'interactions is not a list';
  if (interactions.length > maxInteractions) {
    return `it has ${interactions.length} interactions, but at most ${maxInteractions} are allowed`;
  }
  const faultIndex = interactions.findIndex((one) => {
    const { description, providerState, providerStates = [] } = one ?? {};
    const hasName = (state: { name?: unknown } | null) => typeof state?.name === 'string';
    const hasStates = typeof (providerState ?? '') === 'string' && Array.isArray(providerStates);
    return typeof description !== 'string' || !hasStates || !providerStates.every(hasName);
  });
  return faultIndex === -1 ? undefined : `interactions[${faultIndex}] has no description, or states without a name`;
}

const maxBytes = 16 * 1024 * 1024;

/** Reads a Pact file. `name` is its name in reports. Throws Error if the file is unreadable or is not a pact. */
export async function readPactFile(path: string, name: string): Promise<PactFile> {
  const found = await readRegularText(path, maxBytes);
  if ('unreadable' in found) throw new Error(`the pact ${path} ${found.unreadable}`, { cause: found.cause });
  let pact: PactJson;
  try {
    pact = JSON.parse(found.text);
  } catch (cause) {
    throw new Error(`the pact ${path} is not JSON`, { cause });
  }
  const fault = pactFault(pact);
  if (fault !== undefined) throw new Error(`${path} is not a pact: ${fault}`);
  const { provider, interactions } = pact;
  return {
    name,
    path,
    provider: provider.name,
    interactions: interactions.map(({ description, providerState, providerStates = [] }) => ({
      description,
      state: providerState ?? providerStates.map((state) => state.name).join(', '),
    })),
  };
}

type Verdict = Pick<ContractRow, 'outcome' | 'blame' | 'mismatches'>;

/** Returns a row for each interaction. If its result is missing or its state is unknown, the outcome is `error`. */
export function readVerdicts(file: PactFile, verifierJson: string): ContractRow[] {
  const report: VerifierReport = JSON.parse(verifierJson);
  return rowsOf(file, (interaction) => verdictOf(file, interaction, report));
}

/** Returns the rows of a file that could not be verified. Each row has the outcome `error` and the reason. */
export function unverifiedRows(file: PactFile, reason: string): ContractRow[] {
  return rowsOf(file, () => suiteFault(reason));
}

/** Returns one row that says why no pact was verified. Its outcome is `error`, in an aborted run `inconclusive`. */
export function noVerdictRows(reason: string, wasAborted = false): ContractRow[] {
  const verdict = suiteFault(reason);
  const rowVerdict = wasAborted ? ({ ...verdict, outcome: 'inconclusive', blame: 'environment' } as const) : verdict;
  return [{ pact: 'contracts/pacts', interaction: 'all interactions', state: 'any', ...rowVerdict }];
}

interface VerifierReport {
  readonly errors?: readonly { readonly interaction?: string; readonly mismatch?: VerifierError }[];
  readonly interactionResults?: readonly { readonly description?: string; readonly result?: string }[];
}

interface VerifierError {
  readonly type?: string;
  readonly message?: string;
  readonly mismatches?: readonly { readonly path?: string; readonly mismatch?: string; readonly type?: string }[];
}

function rowsOf({ name, interactions }: PactFile, judge: (interaction: PactInteraction) => Verdict): ContractRow[] {
  const names = interactions.map(({ description, state }) => {
    const isShared = interactions.filter((other) => other.description === description).length > 1;
    return isShared && state !== '' ? `${description}, given ${state}` : description;
  });
  const distinct = distinctNames(names);
  return interactions.map((interaction, at) => ({
    pact: name,
    interaction: distinct[at]!,
    state: interaction.state,
    ...judge(interaction),
  }));
}

function verdictOf(file: PactFile, interaction: PactInteraction, report: VerifierReport): Verdict {
  const { description, state } = interaction;
  if (state !== '' && !isProviderState(state)) return suiteFault(unknownState(state));
  // Interactions can have the same description and different states. Their results have the order of the file.
  const namesakes = file.interactions.filter((other) => other.description === description);
  const results = (report.interactionResults ?? []).filter((entry) => entry.description === description);
  if ((report.interactionResults ?? []).length === 0) return suiteFault(unreadPactReason);
  if (results.length !== namesakes.length)
    return suiteFault(`the verifier has ${results.length} results for this interaction, not ${namesakes.length}`);
  if (results[namesakes.indexOf(interaction)]!.result === 'OK') return { outcome: 'pass', mismatches: [] };
  const place = state === '' ? `${file.provider} - ${description}` : ` Given ${state} - ${description}`;
  const errors = (report.errors ?? []).filter((error) => error.interaction?.endsWith(place));
  const mismatches = errors.flatMap(({ mismatch }) => mismatch?.mismatches ?? []);
  if (mismatches.length > 0) return { outcome: 'fail', blame: 'subject', mismatches: mismatches.map(formatMismatch) };
  const message = errors[0]?.mismatch?.message;
  if (message === undefined) return suiteFault('the verifier gave no reason');
  return { outcome: 'inconclusive', blame: 'environment', mismatches: [message] };
}

const unreadPactReason =
  'the verifier could not read the pact: check the types of "status", "headers" and "matchingRules", or publish it again';

function formatMismatch({ path = '', mismatch, type }: { path?: string; mismatch?: string; type?: string }): string {
  const text = mismatch ?? type ?? 'a mismatch without a text';
  return path === '' ? text : `${path}: ${text}`;
}

function suiteFault(reason: string): Verdict {
  return { outcome: 'error', blame: 'suite', mismatches: [reason] };
}

/** True for a run with a broker, a live run with --contracts, and a complete mock run (if sharded, its last shard). */
export function verifiesContracts(
  options: Pick<RunOptions, 'target' | 'only' | 'shard' | 'contracts' | 'pacts'>,
): boolean {
  const { target, only, shard, contracts, pacts } = options;
  if (contracts === false) return false;
  if (pacts !== undefined) return true;
  if (target !== 'mock') return contracts === true;
  return hasOnlyExclusions(only) && shard?.index === shard?.of;
}

/** True if the verifier is installed. The verifier is an optional dependency, because it needs a native library. */
export function isVerifierInstalled(): boolean {
  try {
    return createRequire(import.meta.url).resolve('@pact-foundation/pact-core') !== '';
  } catch {
    return false;
  }
}
