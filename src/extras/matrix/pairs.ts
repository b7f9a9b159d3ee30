/** Which client gets on with which gateway: pairs of a matrix, asked from what their last runs left. JSON form: schemas/files/matrix.json. */
import type { CellRun, ImplementationMatrix, PairCell, PairReading } from './matrix.ts';
import type { MatrixPlan, PlannedClient, SubjectKind } from './matrix-plan.ts';

/** Gives the client the gateway's kept answers, and a mock like that gateway the client's kept requests. */
export type AskPair = (
  client: PlannedClient,
  folders: { readonly client: string; readonly gateway: string },
) => Promise<PairReading>;

/** Every pair of the file, in its order; one of which neither was run this time keeps what it had. */
export async function performPairs(
  matrix: ImplementationMatrix,
  { clients = [], gateways = [] }: MatrixPlan,
  {
    ran,
    ask,
    pathOf,
    now,
  }: {
    /** Names of what was run this time. */
    readonly ran: ReadonlySet<string>;
    readonly ask: AskPair;
    readonly pathOf: (run: string) => string;
    readonly now: () => number;
  },
): Promise<readonly PairCell[]> {
  const pairs: PairCell[] = [];
  for (const client of clients) {
    for (const { name: gateway } of gateways) {
      const known = matrix.pairs?.find((one) => one.client === client.name && one.gateway === gateway);
      if (known !== undefined && !ran.has(client.name) && !ran.has(gateway)) {
        pairs.push(known);
        continue;
      }
      const runs = [keptRun(matrix, 'client', client.name), keptRun(matrix, 'gateway', gateway)] as const;
      const missing = runs[0] === undefined ? client.name : gateway;
      const reading: PairReading =
        runs[0] === undefined || runs[1] === undefined
          ? { is: 'unverified', reason: `no run of ${missing} is kept that determined anything` }
          : await ask(client, { client: pathOf(runs[0]), gateway: pathOf(runs[1]) });
      pairs.push({ client: client.name, gateway, at: new Date(now()).toISOString(), ...reading });
    }
  }
  return pairs;
}

/** Of the first profile, which is the one that was performed. */
function keptRun(
  { implementations, profiles }: ImplementationMatrix,
  kind: SubjectKind,
  name: string,
): string | undefined {
  const isKept = ({ run, state }: CellRun) => run !== undefined && state !== 'aborted' && state !== 'unsupported';
  return implementations
    .find((one) => one.kind === kind && one.name === name)
    ?.cells.find(({ profile }) => profile === profiles[0])
    ?.runs.findLast(isKept)?.run;
}
