/** Defects that no business input shows: the altered client's own requests, recorded and judged as a recording is. */

import { operationNames, operations } from '../../../contracts/operations.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import type { ClientDefect, StoredRequest } from '../../faults/client/defect.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { type ClientAlteration, newClient } from '../../peer/client/index.ts';
import { readPrivateKey, type SignatureMethod, type SigningKey } from '../../protocol/index.ts';
import type { Case } from '../../record/case.ts';
import type { ClientCase } from '../../record/client-case.ts';
import type { ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { publishedKeys } from '../../run/target/published.ts';
import { clientEvidence } from '../../verdict/client/client-evidence.ts';
import { gatewayEvidence } from '../../verdict/gateway-evidence.ts';

/** Ids of the rows that fail for the altered client's record and not for that of the right client, sorted. */
export async function judgeStored({ stored = [], alteration }: ClientDefect): Promise<string[]> {
  const right = failingIn(await record(stored, []));
  const wrong = failingIn(await record(stored, [alteration]));
  return wrong.filter((id) => !right.includes(id)).sort();
}

/** Ids of the rows that fail for the stored record of a gateway, sorted. The suite did not plan its requests. */
export function judgeStoredGateway({ stored = [] }: GatewayDefect): string[] {
  const cases = stored.map((exchange, number): Case => {
    const operation = operationNames.find((name) => exchange.request.target.includes(`/${name}/`));
    if (operation === undefined) throw new Error(`${exchange.request.target} leads to no operation`);
    return { scenario: 'stored', number, label: { operation, intent: 'open' }, exchange };
  });
  const evidence = gatewayEvidence([{ cases }]);
  return requirements
    .filter(({ side, untestable }) => side === 'gateway' && untestable === undefined)
    .map(({ id }) => id)
    .filter((id) => evidence.judge(id).some(({ finding }) => finding.outcome === 'fail'))
    .sort();
}

async function record(
  stored: readonly StoredRequest[],
  alterations: readonly ClientAlteration[],
): Promise<ClientCase[]> {
  const cases: ClientCase[] = [];
  for (const [index, request] of stored.entries()) {
    for (const sent of await requestsOf(request, alterations)) {
      const { operation } = request;
      cases.push({
        scenario: 'stored',
        number: index,
        label: { operation, input: 'observed' },
        wire: [{ request: sent, response: accepted, startedAt: 1_800_000_000_000, durationMs: 1 }],
      });
    }
  }
  return cases;
}

/** What the client sends when its steps are given this target and these fields. */
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
  // Its fields are given: no step looks at the input.
  await client.call(operation, { columns: [], rows: [] });
  return sent;
}

const accepted: ReceivedResponse = {
  status: 200,
  reason: 'OK',
  headers: [['Content-Length', '0']],
  body: new Uint8Array(),
};

function failingIn(calls: readonly ClientCase[]): string[] {
  const evidence = clientEvidence({ calls, skipped: [] }, { hasKeys: true, keysOf: publishedKeys });
  const ids = requirements
    .filter(({ side, untestable }) => side === 'client' && untestable === undefined)
    .map(({ id }) => id);
  return ids.filter((id) => evidence.judge(id).some(({ finding }) => finding.outcome === 'fail'));
}
