/** The file of a matrix: which implementations are run, and what of it no schema can say. JSON form: schemas/files/matrix-plan.json. */
import { isLoopback } from '../../record/hosts.ts';

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

interface PlannedGateway extends Planned {
  readonly variants?: readonly string[];
  readonly target?: string;
  readonly config?: string;
}

export type PlannedEntry =
  | (PlannedClient & { readonly kind: 'client' })
  | (PlannedGateway & { readonly kind: 'gateway' });

export type SubjectKind = PlannedEntry['kind'];

export function entriesOf({ clients = [], gateways = [] }: MatrixPlan): PlannedEntry[] {
  return [
    ...clients.map((client) => ({ kind: 'client' as const, ...client })),
    ...gateways.map((gateway) => ({ kind: 'gateway' as const, ...gateway })),
  ];
}

/** What the ids and patterns of the file may be. */
export interface KnownNames {
  readonly clientDefects: Named;
  readonly gatewayDefects: Named;
  readonly variants: Named;
  /** What a pattern selects of that side: something, nothing, or only what no run can show. */
  selects(side: SubjectKind, pattern: string): 'something' | 'nothing' | 'untestable';
}

type Named = readonly { readonly id: string }[];

interface PlanFault {
  readonly path: string;
  readonly sentence: string;
}

export function planFaults(plan: MatrixPlan, known: KnownNames): PlanFault[] {
  const { clients = [], gateways = [] } = plan;
  if (clients.length + gateways.length === 0) {
    return [{ path: '', sentence: 'the file names no implementation; list them under clients or gateways' }];
  }
  return [
    ...doubledNames(plan),
    ...clients.flatMap((client, at) => clientFaults(client, `clients[${at}]`, known)),
    ...gateways.flatMap((gateway, at) => gatewayFaults(gateway, `gateways[${at}]`, known)),
  ];
}

function fault(path: string, what: string): PlanFault {
  return { path, sentence: `${path} ${what}` };
}

/** --only and the folders of runs go by the name. */
function doubledNames({ clients = [], gateways = [] }: MatrixPlan): PlanFault[] {
  const places = [
    ...clients.map(({ name }, at) => ({ name, path: `clients[${at}].name` })),
    ...gateways.map(({ name }, at) => ({ name, path: `gateways[${at}].name` })),
  ];
  return places
    .filter(({ name }, at) => places.findIndex((one) => one.name === name) < at)
    .map(({ name, path }) => fault(path, `is ${JSON.stringify(name)} again; each name may stand in the file once`));
}

function clientFaults(client: PlannedClient, path: string, known: KnownNames): PlanFault[] {
  const { command, defects, mode } = client;
  return [
    ...((command === undefined) === (defects === undefined) ? [fault(path, 'needs either command or defects')] : []),
    ...(mode === 'one-shot' && defects !== undefined
      ? [fault(`${path}.mode`, 'is for a command, and the built-in client has none')]
      : []),
    ...unknownIds(defects, known.clientDefects, `${path}.defects`, 'defect of a client'),
    ...commonFaults('client', client, path, known),
  ];
}

function gatewayFaults(gateway: PlannedGateway, path: string, known: KnownNames): PlanFault[] {
  const { target, config, variants, defects, command } = gateway;
  const isMock = target === undefined && config === undefined;
  return [
    ...(target !== undefined && config !== undefined
      ? [fault(path, 'has target and config; the configuration names the target')]
      : []),
    ...(!isMock && (variants ?? defects) !== undefined
      ? [fault(path, 'has variants or defects, which only the built-in mock has; leave target and config out')]
      : []),
    ...(command !== undefined && target === undefined
      ? [fault(path, 'is started by a command, and needs target, the base URL at which it then is')]
      : []),
    ...(target === undefined || isOnThisMachine(target)
      ? []
      : [
          fault(
            `${path}.target`,
            'is no base URL on this machine; a live target needs config, the path of its configuration',
          ),
        ]),
    ...unknownIds(variants, known.variants, `${path}.variants`, 'variant of the mock'),
    ...unknownIds(defects, known.gatewayDefects, `${path}.defects`, 'defect of a gateway'),
    ...commonFaults('gateway', gateway, path, known),
  ];
}

function isOnThisMachine(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, host, username, password } = new URL(target);
  return /^https?:$/.test(protocol) && username === '' && password === '' && isLoopback(host);
}

function unknownIds(ids: readonly string[] = [], known: Named, path: string, what: string): PlanFault[] {
  return ids.flatMap((id, at) =>
    known.some((one) => one.id === id)
      ? []
      : [fault(`${path}[${at}]`, `is ${JSON.stringify(id)}, which is no ${what}; ${namesAll(what)}`)],
  );
}

function commonFaults(
  side: SubjectKind,
  { command, only = [] }: Planned,
  path: string,
  { selects }: KnownNames,
): PlanFault[] {
  const idle = only.flatMap((pattern, at) => {
    const found = selects(side, pattern);
    if (found === 'something') return [];
    const what = `is ${JSON.stringify(pattern)}, which is no requirement of a ${side}`;
    const which = found === 'untestable' ? ' that a run can show' : '';
    return [fault(`${path}.only[${at}]`, `${what}${which}; ${namesAll('requirement')}`)];
  });
  return command?.[0]?.trim() === ''
    ? [fault(`${path}.command`, 'begins with an empty word; name a program first'), ...idle]
    : idle;
}

function namesAll(what: string): string {
  return `countersign list ${what.split(' ')[0]}s names them all`;
}
