/** The committed Pact files (Pact specification 4), as far as a run has to know them: which interactions there are to verify. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularText, whyUnreadable } from '../../record/disk/files.ts';
import { packageRoot } from '../../run/options/suite-version.ts';

export interface PactFile {
  readonly name: string;
  readonly path: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
}

export interface PactInteraction {
  readonly description: string;
  /** Name of its provider state; our files give each interaction one. */
  readonly state: string;
}

/** All Pact files of the folder, by name. Throws where there is none: nothing to verify is not the same as verified. */
export async function readPactFiles(folder: string = join(packageRoot, 'contracts', 'pacts')): Promise<PactFile[]> {
  const found = await readdir(folder).catch((cause) => {
    throw new Error(`the folder of the pacts ${folder} ${whyUnreadable(cause).unreadable}`, { cause });
  });
  const names = found.filter((name) => name.endsWith('.json')).sort();
  if (names.length === 0) throw new Error(`${folder} has no Pact file`);
  return Promise.all(names.map((name) => readPactFile(join(folder, name), name)));
}

/** The names in their order, with a number behind each that is there already. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  return names.map((name, at) => {
    if (names.indexOf(name) === at) return name;
    let number = 2;
    while (taken.has(`${name} (${number})`)) number += 1;
    const distinct = `${name} (${number})`;
    taken.add(distinct);
    return distinct;
  });
}

interface FileText {
  readonly provider: { readonly name: string };
  readonly interactions: readonly {
    readonly description: string;
    readonly providerStates?: readonly { readonly name: string }[];
    /** Before version 3 of the specification. */
    readonly providerState?: string;
  }[];
}

/** Of one file: each may take its time (verify-contracts.ts). */
const mostInteractions = 300;

/** What is wrong with a pact that somebody else has written, as far as `readPactFile` reads it; the rest is the verifier's. */
export function pactFault(pact: unknown): string | undefined {
  const { provider, interactions } = (pact ?? {}) as { provider?: { name?: unknown } | null; interactions?: unknown };
  if (typeof provider?.name !== 'string') return 'provider.name is no text';
  if (!Array.isArray(interactions)) return 'interactions is no list';
  if (interactions.length > mostInteractions) {
    return `it has ${interactions.length} interactions, and ${mostInteractions} are verified at most`;
  }
  const wrong = interactions.findIndex((one) => {
    const { description, providerState, providerStates = [] } = one ?? {};
    const named = (state: { name?: unknown } | null) => typeof state?.name === 'string';
    const stated = typeof (providerState ?? '') === 'string' && Array.isArray(providerStates);
    return typeof description !== 'string' || !stated || !providerStates.every(named);
  });
  return wrong === -1 ? undefined : `interactions[${wrong}] has no description, or states without a name`;
}

export async function readPactFile(path: string, name: string): Promise<PactFile> {
  const { provider, interactions } = await pactIn(path);
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

/** Bytes: as much as a broker may say at once. */
const largestBytes = 16 * 1024 * 1024;

async function pactIn(path: string): Promise<FileText> {
  const found = await readRegularText(path, largestBytes);
  if ('unreadable' in found) throw new Error(`the pact ${path} ${found.unreadable}`, { cause: found.cause });
  let pact: unknown;
  try {
    pact = JSON.parse(found.text);
  } catch (cause) {
    throw new Error(`the pact ${path} is not JSON`, { cause });
  }
  const fault = pactFault(pact);
  if (fault !== undefined) throw new Error(`${path} is no pact: ${fault}`);
  return pact as FileText;
}
