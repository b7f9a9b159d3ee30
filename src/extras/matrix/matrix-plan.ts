/** The file of a matrix: which implementations are run, and what of it no schema can say. JSON form: schemas/files/matrix-plan.json. */

import { usableClientDefects } from '../../faults/client/index.ts';
import { mockDefects } from '../../faults/index.ts';
import { variants as mockVariants } from '../../faults/variants.ts';
import { isLoopback } from '../../record/hosts.ts';
import { selectedIds, untestableOf } from '../../run/options/selection.ts';

export interface MatrixPlan {
  readonly formatVersion: 1;
  readonly title?: string;
  readonly profiles?: readonly string[];
  readonly seed?: string;
  readonly limitMinutes?: number;
  readonly keep?: number;
  /** Whether every client is held beside every gateway too. */
  readonly pairs?: boolean;
  readonly clients?: readonly PlannedClient[];
  readonly gateways?: readonly PlannedGateway[];
}

interface Planned {
  readonly name: string;
  readonly version?: string;
  readonly command?: readonly string[];
  readonly defects?: readonly string[];
  readonly cwd?: string;
  readonly cases?: number;
  readonly only?: readonly string[];
}

export interface PlannedClient extends Planned {
  readonly mode?: 'process' | 'one-shot';
  readonly plainHttp?: boolean;
}

export interface PlannedGateway extends Planned {
  readonly variants?: readonly string[];
  readonly target?: string;
  readonly config?: string;
}

/** An implementation of the file, with its side. */
export type PlannedEntry =
  | (PlannedClient & { readonly kind: 'client' })
  | (PlannedGateway & { readonly kind: 'gateway' });

export type SubjectKind = PlannedEntry['kind'];

/** In the order of the file, clients first. */
export function entriesOf({ clients = [], gateways = [] }: MatrixPlan): PlannedEntry[] {
  return [
    ...clients.map((client) => ({ kind: 'client' as const, ...client })),
    ...gateways.map((gateway) => ({ kind: 'gateway' as const, ...gateway })),
  ];
}

export interface PlanFault {
  /** From the top of the file: `clients[0].name`. */
  readonly path: string;
  readonly sentence: string;
}

/** What is wrong with a file that fits its schema. */
export function planFaults(plan: MatrixPlan): PlanFault[] {
  const { clients = [], gateways = [] } = plan;
  if (clients.length + gateways.length === 0) {
    return [{ path: '', sentence: 'the file names no implementation; list them under clients or gateways' }];
  }
  return [
    ...doubledNames(plan),
    ...clients.flatMap((client, at) => clientFaults(client, `clients[${at}]`)),
    ...gateways.flatMap((gateway, at) => gatewayFaults(gateway, `gateways[${at}]`)),
  ];
}

/** --only and the folders of runs go by the name. */
function doubledNames({ clients = [], gateways = [] }: MatrixPlan): PlanFault[] {
  const places = [
    ...clients.map(({ name }, at) => ({ name, path: `clients[${at}].name` })),
    ...gateways.map(({ name }, at) => ({ name, path: `gateways[${at}].name` })),
  ];
  const seen = new Set<string>();
  return places.flatMap(({ name, path }) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path, sentence: `${path} is ${JSON.stringify(name)} again; each name may stand in the file once` }];
  });
}

function clientFaults(client: PlannedClient, path: string): PlanFault[] {
  const ways = [client.command, client.defects].filter((way) => way !== undefined).length;
  return [
    ...(ways === 1 ? [] : [{ path, sentence: `${path} needs either command or defects` }]),
    ...(client.mode === 'one-shot' && client.defects !== undefined
      ? [{ path: `${path}.mode`, sentence: `${path}.mode is for a command, and the built-in client has none` }]
      : []),
    ...unknownIds(client.defects, usableClientDefects, `${path}.defects`, 'defect of a client'),
    ...emptyWord(client, path),
    ...idlePatterns('client', client.only, path),
  ];
}

function gatewayFaults(gateway: PlannedGateway, path: string): PlanFault[] {
  const { target, config, variants, defects, command } = gateway;
  const isMock = target === undefined && config === undefined;
  return [
    ...(target !== undefined && config !== undefined
      ? [{ path, sentence: `${path} has target and config; the configuration names the target` }]
      : []),
    ...(!isMock && (variants ?? defects) !== undefined
      ? [
          {
            path,
            sentence: `${path} has variants or defects, which only the built-in mock has; leave target and config out`,
          },
        ]
      : []),
    ...(command !== undefined && target === undefined
      ? [
          {
            path,
            sentence: `${path} is started by a command, and needs target, the base URL at which it then is`,
          },
        ]
      : []),
    ...(target === undefined || isOnThisMachine(target)
      ? []
      : [
          {
            path: `${path}.target`,
            sentence: `${path}.target is no base URL on this machine; a live target needs config, the path of its configuration`,
          },
        ]),
    ...unknownIds(variants, mockVariants, `${path}.variants`, 'variant of the mock'),
    ...unknownIds(defects, mockDefects, `${path}.defects`, 'defect of a gateway'),
    ...emptyWord(gateway, path),
    ...idlePatterns('gateway', gateway.only, path),
  ];
}

function isOnThisMachine(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, host, username, password } = new URL(target);
  return /^https?:$/.test(protocol) && username === '' && password === '' && isLoopback(host);
}

function unknownIds(
  ids: readonly string[] | undefined,
  known: readonly { readonly id: string }[],
  path: string,
  what: string,
): PlanFault[] {
  return (ids ?? []).flatMap((id, at) =>
    known.some((one) => one.id === id)
      ? []
      : [
          {
            path: `${path}[${at}]`,
            sentence: `${path}[${at}] is ${JSON.stringify(id)}, which is no ${what}; ${namesAll(what)}`,
          },
        ],
  );
}

function emptyWord({ command }: Planned, path: string): PlanFault[] {
  return command?.[0]?.trim() === ''
    ? [{ path: `${path}.command`, sentence: `${path}.command begins with an empty word; name a program first` }]
    : [];
}

function idlePatterns(side: SubjectKind, only: readonly string[] = [], path: string): PlanFault[] {
  return only.flatMap((pattern, at) =>
    selectedIds(side, [pattern]).length > 0
      ? []
      : [
          {
            path: `${path}.only[${at}]`,
            sentence: `${path}.only[${at}] is ${JSON.stringify(pattern)}, which is no requirement of a ${side}${
              untestableOf(pattern) === undefined ? '' : ' that a run can show'
            }; ${namesAll('requirement')}`,
          },
        ],
  );
}

/** Where ids are looked up: `what` begins with the kind of thing. */
function namesAll(what: string): string {
  return `countersign list ${what.split(' ')[0]}s names them all`;
}
