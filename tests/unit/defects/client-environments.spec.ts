/** Defects that show in another time zone or locale, and nowhere else. */

import { clientDefects } from '../../../src/defects/client/index.ts';
import { headerValues } from '../../../src/exchange/exchange.ts';
import { decodeForm } from '../../../src/protocol/index.ts';
import { expect, test } from '../../engine.ts';
import { type Call, plainBatch, plainCloseDay, traced } from './telling-calls.ts';

type Environment = Readonly<Record<string, string>>;

const german = { LC_ALL: 'de_DE.UTF-8' };
const turkish = { LC_ALL: 'tr_TR.UTF-8' };

/** Defect, call, environment in which it shows, and what is sent there. */
const shown: readonly (readonly [id: string, call: Call, environment: Environment, sent: RegExp])[] = [
  ['authentication/timestamp-in-local-time', plainBatch, { TZ: 'Pacific/Kiritimati' }, /oauth_timestamp="1700050400"/],
  ['authentication/timestamp-in-local-time', plainBatch, { TZ: 'Europe/Berlin' }, /oauth_timestamp="1700003600"/],
  ['authentication/names-by-turkish-rules', plainBatch, turkish, /oauth_s%C4%B1gnature_method=.*oauth_vers%C4%B1on=/],
  ['close-day/sum-by-german-rules', plainCloseDay, german, /sale_approved_sum=10,42\n.*reversal_approved_sum=0\.94/s],
  ['recurring/amount-by-german-rules', plainBatch, german, /TITLEi-1;1234567890;1234,50/],
  ['recurring/order-id-by-turkish-rules', plainBatch, turkish, /TITLE\u0130-1;1234567890;1234\.50/],
];

for (const [id, call, environment, sent] of shown) {
  test(`${id} shows under ${Object.values(environment)}, and not under C and UTC`, async () => {
    const { alteration } = clientDefects.find((defect) => defect.id === id)!;
    const under = (variables: Environment) => traced({ ...call, environment: variables }, [alteration]).then(textOf);
    const right = textOf(await traced(call, []));
    expect(await under(environment)).toMatch(sent);
    expect(right).not.toMatch(sent);
    expect(await under({})).toBe(right);
    expect(await under({ LC_ALL: 'C', TZ: 'UTC' })).toBe(right);
  });
}

/** Header, fields, and the CSV where there is one. */
function textOf({ requests: [request] }: Awaited<ReturnType<typeof traced>>): string {
  const fields = decodeForm(request!.body).map(([name, value]) =>
    name === 'payload' ? Buffer.from(value, 'base64').toString('utf8') : `${name}=${value}`,
  );
  return [...headerValues(request!.headers, 'authorization'), ...fields].join('\n');
}
