/** The mock beside a gateway, here another mock: what differs is named, and the variants that make them alike are found. */
import { concludeInProcess } from '../../../../src/app/prove/run-in-process.ts';
import { completeRunOptions } from '../../../../src/run/options/run-options.ts';
import { fidelityOf, likeIn, replayable, settingsLike } from '../../../../src/verdict/recordings/mock-likeness.ts';
import { expect, test } from '../../../engine.ts';

const only = ['authentication/close-day-valid-accepted', 'authentication/close-day-timestamp-required'];

async function casesOf(given: { readonly defects?: readonly string[]; readonly variants?: readonly string[] }) {
  const options = completeRunOptions({ ...given, only, seed: '1', cases: 1 }, Date.now(), '/nowhere');
  return replayable((await concludeInProcess(options)).cases);
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
