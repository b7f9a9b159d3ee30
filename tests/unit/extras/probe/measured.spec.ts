/** Measured intervals contain the truth, the dialect card names what the gateway does, and what differs between two gateways is named: on mocks. */
import { runInProcess, transportTo } from '../../../../src/app/prove/run-in-process.ts';
import { measureIn } from '../../../../src/extras/probe/measure.ts';
import { defaultWorld } from '../../../../src/mock/world.ts';
import type { Measured } from '../../../../src/record/result/result.ts';
import { completeRunOptions } from '../../../../src/run/options/run-options.ts';
import { placeOf, publishedCredentials, publishedProfile } from '../../../../src/run/target/target.ts';
import type { Transport } from '../../../../src/run/transport/transport.ts';
import { gatewayEvidence } from '../../../../src/verdict/gateway-evidence.ts';
import { fidelityOf, likeIn, replayable, settingsLike } from '../../../../src/verdict/recordings/mock-likeness.ts';
import { expect, test } from '../../../engine.ts';
import { type DrawnGateway, drawnGateway } from './drawn-gateway.ts';

const quick = 1;
const settings = Array.from({ length: 5 }, (_, at) => `setting ${at}`);

for (const [at, seed] of settings.entries()) {
  test(`what is measured of the drawn gateway ${seed} is true`, { tag: at < quick ? [] : ['@all'] }, async () => {
    const drawn = drawnGateway(seed);
    const measured = await measure(drawn, seed);
    const beside = measured.limits.filter(({ id, least, most }) => !holds(drawn.truth[id]!, { least, most }));
    expect(beside).toEqual([]);
    const known = measured.limits.filter(({ least, most }) => least !== undefined && most !== undefined);
    expect(known.map(({ id }) => id)).toEqual(measured.limits.map(({ id }) => id));
    const { follows, takes, reason } = measured.dialect!;
    const named = { follows: follows.map(nameOf).sort(), takes: takes.map(nameOf).sort(), reason };
    expect(named).toEqual({ follows: drawn.follows.toSorted(), takes: drawn.takes.toSorted(), reason: undefined });
  });
}

test('a batch that is refused for the length of its body says nothing of a limit of rows', async () => {
  const { limits } = await measure(drawnGateway('short bodies', { 'body-bytes': 2000, rows: 90 }), 'short bodies');
  const { least = 0, most } = limits.find(({ id }) => id === 'rows')!;
  expect({ isTrue: least > 20 && least <= 90, most }).toEqual({ isTrue: true, most: undefined });
});

/** Several that could not be told apart are not one that is named. */
function nameOf({ deviation, alternatives = [] }: NonNullable<Measured['dialect']>['follows'][number]): string {
  return [deviation, ...alternatives].join(' or ');
}

function holds(truth: number, { least = 0, most = Infinity }: { least?: number; most?: number }): boolean {
  return least <= truth && truth <= most;
}

async function measure({ alterations, truth }: DrawnGateway, seed: string): Promise<Measured> {
  const at = Date.now();
  const options = completeRunOptions({ seed: seed.replace(' ', '-'), measure: 900 }, at, '/nowhere');
  let nonces = 0;
  const fresh = () => {
    nonces += 1;
    return { timestamp: String(Math.floor(at / 1000)), nonce: `nonce${nonces}` };
  };
  const { endpointId = '' } = publishedProfile;
  const record = await measureIn(
    {
      seed,
      target: {
        ...placeOf({ ...publishedProfile, target: 'http://127.0.0.1:8080', states: { closing: '1112' } }),
        ...publishedCredentials(),
        gates: { [endpointId]: 1 },
      },
      transport: withLimit(transportTo(defaultWorld(), alterations, { at }), truth['body-bytes']!),
      secondVoice: false,
      fresh,
    },
    options,
  );
  expect(record.suiteErrors).toEqual([]);
  return gatewayEvidence([record]).measured!()!;
}

/** A server looks at the length of a body before anything else does. */
function withLimit(transport: Transport, bytes: number): Transport {
  const response = { status: 413, reason: 'Payload Too Large', headers: [], body: new Uint8Array() };
  return {
    ...transport,
    send: async (request) =>
      request.body.length > bytes ? { request, response, startedAt: 0, durationMs: 1 } : transport.send(request),
  };
}

const only = ['authentication/close-day-valid-accepted', 'authentication/close-day-timestamp-required'];

async function casesOf(given: { readonly defects?: readonly string[]; readonly variants?: readonly string[] }) {
  const options = completeRunOptions({ ...given, only, seed: '1', cases: 1 }, Date.now(), '/nowhere');
  return replayable((await runInProcess(options)).cases);
}

test('a gateway that behaves like the mock is wholly like it', async () => {
  const cases = await casesOf({});
  const { compared, alike, requirements } = fidelityOf(cases);
  expect({ compared, alike, others: requirements.filter(({ gateway, mock }) => gateway !== mock) }).toEqual({
    compared: cases.length,
    alike: cases.length,
    others: [],
  });
  expect(requirements.length).toBeGreaterThan(20);
});

test('the variants of a gateway are found from its answers, and a defect is a requirement with another outcome', async () => {
  const cases = await casesOf({ variants: ['wrapped-body', 'date-in-russian'] });
  const { variants, alike, compared } = likeIn(cases);
  expect({ ids: variants.map(({ id }) => id).sort(), alike }).toEqual({
    ids: ['date-in-russian', 'wrapped-body'],
    alike: [0, compared],
  });
  const broken = fidelityOf(await casesOf({ defects: ['close-day/sale-count-as-number'] }));
  expect(broken.requirements.filter(({ gateway, mock }) => gateway !== mock).map(({ mock }) => mock)).toContain('pass');
});

test('measured limits become settings of the mock', () => {
  const common = { openPoint: 'A3', unit: 'seconds', requests: 1, exchanges: [] };
  expect(settingsLike([{ ...common, id: 'timestamp-behind', least: 119, most: 120 }])).toEqual({
    settings: { timestampWindowSeconds: 120 },
  });
});
