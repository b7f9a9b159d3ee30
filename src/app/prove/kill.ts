/** Runs the suite against one defect, or judges a record of it, and lists what failed, for the kill matrix. */

import { operationNames, operations } from '../../../contracts/operations.ts';
import { type RequirementId, requirementById } from '../../../contracts/requirements/index.ts';
import type { ClientDefect, StoredRequest } from '../../faults/client/defect.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { type ClientAlteration, newClient } from '../../peer/client/client.ts';
import { readPrivateKey, type SignatureMethod, type SigningKey } from '../../protocol/index.ts';
import { type AnyCase, type Case, type ClientCase, clientCase } from '../../record/case.ts';
import type { ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import type { Result } from '../../record/result/result.ts';
import { perScenario, type Side } from '../../record/run.ts';
import type { Repetition } from '../../run/client/open-client.ts';
import { completeRunOptions } from '../../run/options/run-options.ts';
import { selectedIds } from '../../run/options/selection.ts';
import { type ConcludedRun, evidenceOf } from '../../verdict/conclude.ts';
import { newRepeated, runClientInProcess, runInProcess } from './run-in-process.ts';

export interface Kill {
  readonly id: string;
  readonly side: 'client' | 'gateway';
  readonly summary: string;
  readonly breaks: readonly string[];
  readonly failing: readonly string[];
  /** Judged as a record, because no subject can have the defect. It proves no requirement. */
  readonly reach?: 'stored';
  /** Set if the run gave no verdict: a crash is not a kill. */
  readonly crashed?: string;
}

/** Fixed, so that matrices are comparable. */
const seed = 'kill-matrix';

/** Fewer generated cases than in a run, so a defect that needs many cases is not proven. */
const cases = 4;

/** Client runs differ only in their defects, so they share most signatures. */
const repetition: Repetition = { made: new Map(), at: Date.now() };

/** Gateway runs share their requests. */
const options = completeRunOptions({ seed, cases }, Date.now(), '.');
const repeated = newRepeated();

/** Runs the whole suite in this process. `overSockets`: gateways over real sockets. */
export async function kill(defect: GatewayDefect | ClientDefect, overSockets = false): Promise<Kill> {
  const { id, side, summary } = defect;
  const common = { id, side, summary, breaks: [...defect.breaks].sort() };
  if (defect.reach === 'stored') {
    const failing = defect.side === 'client' ? await judgeStored(defect) : judgeStoredGateway(defect);
    return { ...common, reach: 'stored', failing };
  }
  const { result } =
    defect.side === 'gateway'
      ? await runInProcess(options, {
          alterations: [defect.alteration],
          secondVoice: false,
          overSockets,
          repeated,
          unframed: true,
          outcomesAlone: true,
        })
      : await runClientWith(defect);
  const failing = failingOf(result);
  const crashed = result.aborted ?? result.results.find(({ outcome }) => outcome === 'error')?.actual;
  return { ...common, failing, crashed };
}

export function runClientWith({ alteration }: ClientDefect): Promise<ConcludedRun> {
  const given = { seed, cases, profile: 'strict', secondVoice: false, repetition, outcomesAlone: true } as const;
  return runClientInProcess(given, [alteration]);
}

/** A matrix run judges required and expected rows. */
function failingOf({ results }: Result): string[] {
  return results.flatMap(({ id, outcome }) => (outcome === 'fail' && requirementById(id) ? [id] : [])).sort();
}

/** Failures of the altered client's record that the correct client's record does not have. */
async function judgeStored({ stored = [], alteration }: ClientDefect): Promise<string[]> {
  const right = failingIn('client', await record(stored, []));
  const wrong = failingIn('client', await record(stored, [alteration]));
  return wrong.filter((id) => !right.includes(id));
}

/** The suite did not plan these requests, so their intent is open. */
function judgeStoredGateway({ stored = [] }: GatewayDefect): string[] {
  const cases = stored.map((exchange, number): Case => {
    const operation = operationNames.find((name) => exchange.request.target.includes(`/${name}/`));
    if (operation === undefined) throw new Error(`${exchange.request.target} leads to no operation`);
    return { scenario: 'stored', number, label: { operation, intent: 'open' }, exchanges: [exchange] };
  });
  return failingIn('gateway', cases);
}

async function record(
  stored: readonly StoredRequest[],
  alterations: readonly ClientAlteration[],
): Promise<ClientCase[]> {
  const cases: ClientCase[] = [];
  for (const [index, request] of stored.entries()) {
    for (const sent of await requestsOf(request, alterations)) {
      const { operation } = request;
      const exchanges = [{ request: sent, response: accepted, startedAt: 1_800_000_000_000, durationMs: 1 }];
      cases.push(
        clientCase({ scenario: 'stored', number: index, exchanges }, { label: { operation, input: 'observed' } }),
      );
    }
  }
  return cases;
}

/** The requests of a client with this target and these fields. */
async function requestsOf(
  { operation, target, fields }: StoredRequest,
  alterations: readonly ClientAlteration[],
): Promise<SentRequest[]> {
  const sent: SentRequest[] = [];
  const given: ClientAlteration = {
    refusal: () => undefined,
    fields: () => fields,
    ...(target === undefined ? {} : { url: (url) => ({ ...url, target }) }),
  };
  const { consumerKey, consumerSecret, privateKeyPem } = publishedIdentity;
  const keys: Readonly<Record<SignatureMethod, SigningKey>> = {
    'HMAC-SHA1': { method: 'HMAC-SHA1', consumerSecret },
    'RSA-SHA256': { method: 'RSA-SHA256', privateKey: readPrivateKey(privateKeyPem) },
  };
  const key = keys[operations[operation].signatureMethod];
  const client = newClient({
    baseUrl: 'https://127.0.0.1:8443',
    endpointId: '1111',
    credentials: { consumerKey, key },
    send: async (request) => {
      sent.push(request);
      return { response: accepted };
    },
    clock: () => 1_800_000_000_000,
    nonce: () => `stored${sent.length}`,
    alterations: [given, ...alterations],
  });
  // The fields are fixed, so no step reads the input.
  await client.call(operation, { columns: [], rows: [] });
  return sent;
}

const accepted: ReceivedResponse = {
  status: 200,
  reason: 'OK',
  headers: [['Content-Length', '0']],
  body: new Uint8Array(),
};

/** Failing requirement ids, sorted. */
function failingIn(side: Side, cases: readonly AnyCase[]): string[] {
  const evidence = evidenceOf({ side, records: perScenario(cases) });
  return selectedIds(side, [])
    .filter((id) => evidence.judge(id as RequirementId).some(({ finding }) => finding.outcome === 'fail'))
    .sort();
}
