/** What an adapter said of itself in `ready`, with defaults for what it left out, and notes on what looks misspelt. */
import { operationNames } from '../../../contracts/operations.ts';
import { AdapterError } from './adapter-error.ts';
import type { Introduction } from './client-session.ts';
import { faultsOf, type Message, protocolVersion } from './messages.ts';

export interface Introduced {
  readonly introduction: Introduction;
  /** Whether it reads `cancel`. */
  readonly cancel: boolean;
  /** Sentences on members that were ignored. */
  readonly remarks: readonly string[];
}

/** Characters of a text that are kept: a report shows it, and the options of a run carry it through one variable. */
const mostCharacters = 200;

/** Names in a list that are kept. */
const mostNames = 40;

/** More than this is never sent at once, whatever an adapter offers. */
const mostInFlight = 64;

interface Ready {
  readonly protocol: number;
  readonly adapter?: { readonly name?: string; readonly version?: string };
  readonly client: { name: string; version?: string; language?: string; language_version?: string };
  readonly offers?: {
    readonly ops?: readonly string[];
    readonly signature_methods?: readonly string[];
    readonly stages?: readonly string[];
    readonly inject?: readonly string[];
    readonly max_in_flight?: number;
    readonly cancel?: boolean;
    readonly tls?: boolean;
  };
}

/** Throws `wrong-version` or `protocol-violation`. */
export function introduced(message: Message): Introduced {
  if (typeof message.protocol === 'number' && message.protocol !== protocolVersion)
    throw wrongVersion(message.protocol);
  const [fault] = faultsOf(message);
  if (fault !== undefined) {
    throw new AdapterError(
      'protocol-violation',
      `The adapter's ready message does not fit: ${fault.sentence}.`,
      'schemas/adapter/ready.json describes the message; --check-adapter lists everything that is wrong with it.',
    );
  }
  const ready = message as unknown as Ready;
  const { offers = {}, client } = ready;
  const known = new Set<string>(operationNames);
  const name = shortened(client.name);
  return {
    introduction: {
      adapter: {
        name: shortened(ready.adapter?.name) ?? `adapter of ${name}`,
        version: shortened(ready.adapter?.version),
      },
      client: {
        name,
        version: shortened(client.version),
        language: shortened(client.language),
        languageVersion: shortened(client.language_version),
      },
      offers: {
        ops: operationNames.filter((operation) => offers.ops?.includes(operation) ?? true),
        signatureMethods: bounded(offers.signature_methods ?? ['HMAC-SHA1', 'RSA-SHA256']),
        stages: bounded(offers.stages ?? []),
        inject: (['timestamp', 'nonce'] as const).filter((name) => offers.inject?.includes(name)),
        maxInFlight: Math.min(offers.max_in_flight ?? 1, mostInFlight),
        tls: offers.tls ?? true,
      },
    },
    cancel: offers.cancel ?? false,
    remarks: [
      ...faultsOf(message, { strict: true }).map(
        ({ sentence }) => `In the ready message ${shortened(sentence)}; it is ignored.`,
      ),
      ...(offers.ops ?? [])
        .filter((operation) => !known.has(operation))
        .map((operation) => `The adapter offers "${shortened(operation)}", which is not an operation of this suite.`),
      ...leftOut('stages', offers.stages),
      ...leftOut('signature_methods', offers.signature_methods),
    ],
  };
}

/** The start of a text, with a mark where it goes on; surrogate pairs stay whole. */
function shortened<T extends string | undefined>(text: T): T {
  if (text === undefined || text.length <= mostCharacters) return text;
  return `${[...text.slice(0, mostCharacters)].slice(0, -1).join('')}…` as T;
}

/** A name that is longer than a text may be is not a name of anything; cut, it might become one. */
function bounded(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.length <= mostCharacters).slice(0, mostNames);
}

function leftOut(offer: string, names: readonly string[] = []): string[] {
  const count = names.length - bounded(names).length;
  const why = `at most ${mostNames} names of at most ${mostCharacters} characters are read`;
  return count === 0 ? [] : [`Of offers.${offer} ${count} ${count === 1 ? 'name is' : 'names are'} ignored: ${why}.`];
}

function wrongVersion(version: number): AdapterError {
  return new AdapterError(
    'wrong-version',
    `The adapter speaks version ${version} of the protocol; this suite speaks version ${protocolVersion}.`,
    'Answer hello with a version between its protocol.min and protocol.max.',
  );
}
