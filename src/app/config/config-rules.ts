/** What a schema cannot say of a configuration: parts that contradict each other, or that would be dangerous together. Pure. */
import { isLoopback } from '../../record/hosts.ts';
import type { ChargeableProfile, LiveConfig } from '../../run/target/live-config.ts';
import { mayBeSameEndpoint } from '../../run/target/site.ts';

/** The plain data of the file, once the schema is content with it. */
export interface ConfigValue {
  readonly environment?: 'integration' | 'production';
  readonly target?: string;
  readonly endpointId?: string;
  readonly credentials?: {
    readonly consumerKey: string;
    readonly consumerSecretFile?: string;
    readonly consumerSecret?: string;
    readonly privateKeyFile?: string;
    readonly privateKey?: string;
  };
  readonly recurring?: readonly ChargeableProfile[];
  readonly allow?: {
    readonly 'closes-day'?: number;
    readonly 'starts-payments'?: { readonly count: number; readonly total: string };
  };
  readonly versions?: NonNullable<LiveConfig['versions']>;
  readonly unknownEndpointId?: string;
  readonly states?: { readonly closing?: string; readonly locked?: string };
  readonly controlUrl?: string;
  readonly totals?: NonNullable<LiveConfig['totals']>;
  readonly gates?: number;
  readonly profile?: string;
  readonly require?: readonly string[];
  readonly ledger?: string;
  readonly ca?: string;
  readonly rate?: number;
  readonly deadlineMs?: number;
  readonly 'trust-refusals'?: number;
}

export interface Contradiction {
  readonly path: string;
  readonly sentence: string;
  readonly hint: string;
}

export function contradictions(value: ConfigValue): Contradiction[] {
  return [
    ...credentialRules(value),
    ...recurringRules(value),
    ...endpointRules(value),
    ...controlRules(value),
    ...unusedRules(value),
  ];
}

function credentialRules({ credentials }: ConfigValue): Contradiction[] {
  if (credentials === undefined) return [];
  return (['consumerSecret', 'privateKey'] as const).flatMap((key) => {
    const [direct, file] = [credentials[key], credentials[`${key}File`]];
    if (direct !== undefined && file !== undefined) {
      const sentence = `credentials has both ${key} and ${key}File`;
      return [{ path: `credentials.${key}`, sentence, hint: 'Remove the one that is not meant.' }];
    }
    if (direct !== undefined || file !== undefined) return [];
    const hint = `Name a file with ${key}File, or an environment variable as ${key}: \${NAME}.`;
    return [{ path: 'credentials', sentence: `credentials has neither ${key}File nor ${key}`, hint }];
  });
}

function recurringRules({ recurring = [], allow }: ConfigValue): Contradiction[] {
  const ids = recurring.map(({ id }) => id);
  const twice = ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    if (first === index) return [];
    const sentence = `recurring[${index}].id is the same as recurring[${first}].id`;
    return [{ path: `recurring[${index}].id`, sentence, hint: 'Name each recurring profile once.' }];
  });
  if ((allow?.['starts-payments']?.count ?? 0) === 0 || recurring.length > 0) return twice;
  const sentence = 'allow.starts-payments is given, and recurring names no profile that may be charged';
  return [
    ...twice,
    { path: 'allow.starts-payments', sentence, hint: 'List the profiles under recurring, each with its amount.' },
  ];
}

/** An endpoint that is named for two purposes would make a harmless request a harmful one. */
function endpointRules({ endpointId, unknownEndpointId, states }: ConfigValue): Contradiction[] {
  const named = [
    ['endpointId', endpointId],
    ['unknownEndpointId', unknownEndpointId],
    ['states.closing', states?.closing],
    ['states.locked', states?.locked],
  ] as const;
  return named.flatMap(([path, id], index) => {
    const earlier = named
      .slice(0, index)
      .find(([, other]) => id !== undefined && other !== undefined && mayBeSameEndpoint(id, other));
    if (earlier === undefined) return [];
    const sentence = `${path} is the same endpoint as ${earlier[0]}`;
    if (id === earlier[1]) return [{ path, sentence, hint: 'Each of them has to be an endpoint of its own.' }];
    const hint = `Some gateway could take ${id} for ${earlier[1]}: choose ids that differ in more than how they are written.`;
    return [{ path, sentence: `${path} could be read as the same endpoint as ${earlier[0]}`, hint }];
  });
}

function controlRules({ controlUrl, target }: ConfigValue): Contradiction[] {
  if (controlUrl === undefined) return [];
  const places = [controlUrl, ...(target === undefined || target === 'mock' ? [] : [target])];
  if (URL.canParse(controlUrl) && /@/.test(new URL(controlUrl).href)) {
    const hint = 'The control interface of a mock asks for no password.';
    return [{ path: 'controlUrl', sentence: 'controlUrl has an @', hint }];
  }
  if (places.every((place) => URL.canParse(place) && isLoopback(new URL(place).host))) return [];
  const sentence = 'controlUrl is for a mock on this machine, and controlUrl or target leads elsewhere';
  return [
    { path: 'controlUrl', sentence, hint: 'Remove it, or name endpoints that are kept in a state under states.' },
  ];
}

/** What would be passed over in silence, and with it what the person meant by it. */
function unusedRules({ endpointId, ca, target, ...value }: ConfigValue): Contradiction[] {
  const ofEndpoint = (['controlUrl', 'totals', 'gates'] as const).filter((path) => value[path] !== undefined);
  const hint = 'Write endpointId: it says which endpoint is meant.';
  return [
    ...(endpointId === undefined ? ofEndpoint : []).map((path) => ({
      path,
      sentence: `${path} is about an endpoint, and no endpointId is named`,
      hint,
    })),
    ...(ca !== undefined && target?.startsWith('http:')
      ? [
          {
            path: 'ca',
            sentence: 'ca is given, and target is reached over http:, where no certificate is shown',
            hint: 'Write https: in target, or remove ca.',
          },
        ]
      : []),
  ];
}
