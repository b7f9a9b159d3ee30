/** The file of a matrix and its checks beyond the schema. JSON form: schemas/files/matrix-plan.json. */
import { isLoopback } from '../../record/hosts.ts';

export interface MatrixPlan {
  readonly formatVersion: 1;
  readonly title?: string;
  readonly profiles?: readonly string[];
  readonly seed?: string;
  readonly limitMinutes?: number;
  readonly keep?: number;
  /** Also check every client with every gateway. */
  readonly pairs?: boolean;
  readonly clients?: readonly Planned[];
  readonly gateways?: readonly Planned[];
}

/** A client or a gateway of the file. The schema says which members each kind may have. */
export interface Planned {
  readonly name: string;
  readonly version?: string;
  readonly command?: readonly string[];
  readonly defects?: readonly string[];
  readonly cwd?: string;
  readonly cases?: number;
  readonly only?: readonly string[];
  readonly mode?: 'process' | 'one-shot';
  readonly plainHttp?: boolean;
  readonly variants?: readonly string[];
  readonly target?: string;
  readonly config?: string;
}

export type SubjectKind = 'client' | 'gateway';

export interface PlannedEntry extends Planned {
  readonly kind: SubjectKind;
}

export function entriesOf({ clients = [], gateways = [] }: MatrixPlan): PlannedEntry[] {
  return [
    ...clients.map((client) => ({ kind: 'client' as const, ...client })),
    ...gateways.map((gateway) => ({ kind: 'gateway' as const, ...gateway })),
  ];
}

/** The ids and patterns that the file may use. */
export interface KnownNames {
  readonly clientDefects: Named;
  readonly gatewayDefects: Named;
  readonly variants: Named;
  /** What a pattern selects among the requirements of `side`. `untestable`: only requirements that no run can test. */
  selects(side: SubjectKind, pattern: string): 'something' | 'nothing' | 'untestable';
}

type Named = readonly { readonly id: string }[];

interface PlanFault {
  readonly path: string;
  readonly sentence: string;
}

/** The faults of the file. `path` is the place of a fault, such as `clients[0].name`. */
export function planFaults(plan: MatrixPlan, known: KnownNames): PlanFault[] {
  const entries = entriesOf(plan);
  if (entries.length === 0) {
    return [{ path: '', sentence: 'the file names no implementation; list them under clients or gateways' }];
  }
  const clients = plan.clients?.length ?? 0;
  return entries.flatMap((entry, at) => {
    const path = entry.kind === 'client' ? `clients[${at}]` : `gateways[${at - clients}]`;
    // Each name must be unique, because --only and the folders of runs use the name.
    const isDouble = entries.findIndex(({ name }) => name === entry.name) < at;
    const double = fault(`${path}.name`, `is ${JSON.stringify(entry.name)} again; each name may occur once`);
    return [...(isDouble ? [double] : []), ...entryFaults(entry, path, known)];
  });
}

/** @param what continues the sentence after the path */
function fault(path: string, what: string): PlanFault {
  return { path, sentence: `${path} ${what}` };
}

function entryFaults(entry: PlannedEntry, path: string, known: KnownNames): PlanFault[] {
  const { kind, command, defects, mode, target, config, variants, only = [] } = entry;
  const isClient = kind === 'client';
  const isLive = target !== undefined || config !== undefined;
  const at = (member: string, what: string) => fault(`${path}${member}`, what);
  const ofClient = () => [
    (command === undefined) === (defects === undefined) && at('', 'needs either command or defects'),
    mode === 'one-shot' && defects && at('.mode', 'needs a command; the built-in client has none'),
  ];
  const ofGateway = () => [
    target !== undefined && config !== undefined && at('', 'has target and config; the configuration names the target'),
    isLive && (variants ?? defects) && at('', 'has variants or defects of the built-in mock; omit target and config'),
    command && target === undefined && at('', 'has a command, so it needs target: the base URL of the started gateway'),
    target !== undefined &&
      !isOnThisMachine(target) &&
      at('.target', 'is not a base URL on this machine; a live target needs config, the path of its configuration'),
  ];
  const noProgram = command?.[0]?.trim() === '' && at('.command', 'begins with an empty word; name a program first');
  const faults = [...(isClient ? ofClient() : ofGateway()), noProgram];
  const knownDefects = isClient ? known.clientDefects : known.gatewayDefects;
  return [
    ...faults.filter((one) => typeof one === 'object'),
    ...unknownIds(variants, known.variants, `${path}.variants`, 'variant of the mock'),
    ...unknownIds(defects, knownDefects, `${path}.defects`, `defect of a ${kind}`),
    ...only.flatMap((pattern, index) => {
      const found = known.selects(kind, pattern);
      const which = found === 'untestable' ? ' that a run can show' : '';
      const what = `requirement of a ${kind}${which}`;
      return found === 'something' ? [] : [unknownName(`${path}.only[${index}]`, pattern, what)];
    }),
  ];
}

function isOnThisMachine(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, host, username, password } = new URL(target);
  return /^https?:$/.test(protocol) && username === '' && password === '' && isLoopback(host);
}

function unknownIds(ids: readonly string[] = [], known: Named, path: string, what: string): PlanFault[] {
  return ids.flatMap((id, at) => (known.some((one) => one.id === id) ? [] : [unknownName(`${path}[${at}]`, id, what)]));
}

function unknownName(path: string, name: string, what: string): PlanFault {
  const list = `countersign list ${what.split(' ')[0]}s`;
  return fault(path, `is ${JSON.stringify(name)}, which is not a ${what}; ${list} shows them all`);
}
