/** Defects that show in another time zone or locale, and nowhere else. */

import { clientDefects } from '../../../src/faults/client/index.ts';
import { decodeForm } from '../../../src/protocol/index.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';
import { batch, failed, failedBatch, finished } from './answered-calls.ts';
import { type Call, plainBatch, plainCloseDay, traced } from './telling-calls.ts';

type Environment = Readonly<Record<string, string>>;

const german = { LC_ALL: 'de_DE.UTF-8' };
const turkish = { LC_ALL: 'tr_TR.UTF-8' };

const ascii = { LC_ALL: 'C' };
const locked = finished({ isDayClosing: 'true', gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024', saleAmount: '1234.50' });
const accepted = batch('type=process-recurring-payment-response\n&status=processing\n');

/** Defect, call, environment in which it shows, and what is sent or read there. */
const shown: readonly (readonly [id: string, call: Call, environment: Environment, told: RegExp])[] = [
  ['authentication/timestamp-in-local-time', plainBatch, { TZ: 'Pacific/Kiritimati' }, /oauth_timestamp="1700050400"/],
  ['authentication/timestamp-in-local-time', plainBatch, { TZ: 'Europe/Berlin' }, /oauth_timestamp="1700003600"/],
  ['authentication/names-by-turkish-rules', plainBatch, turkish, /oauth_s%C4%B1gnature_method=.*oauth_vers%C4%B1on=/],
  ['close-day/sum-by-german-rules', plainCloseDay, german, /sale_approved_sum=10,42\n.*reversal_approved_sum=0\.94/s],
  ['recurring/amount-by-german-rules', plainBatch, german, /TITLEi-1;1234567890;1234,50/],
  ['recurring/order-id-by-turkish-rules', plainBatch, turkish, /TITLE\u0130-1;1234567890;1234\.50/],
  ['close-day/date-in-local-zone', locked, { TZ: 'Pacific/Kiritimati' }, /"Wed Jan 01 13:59:59 UTC 2025"/],
  ['close-day/date-in-local-zone', locked, { TZ: 'Europe/Berlin' }, /"Wed Jan 01 00:59:59 UTC 2025"/],
  ['close-day/amount-by-german-rules', locked, german, /"123450"/],
  ['close-day/lock-lost-by-turkish-rules', locked, turkish, /"isDayClosing":\{"bool":false\}/],
  ['close-day/status-by-turkish-rules', locked, turkish, /"undecodable"/],
  ['close-day/message-read-as-latin-1-in-c', failed('7', 'Gerät'), ascii, /"GerÃ¤t"/],
  ['recurring/message-read-as-ascii-in-c', failedBatch('error', 'Ger%C3%A4t'), ascii, /"Ger\?\?t"/],
  ['recurring/type-by-turkish-rules', accepted, turkish, /"undecodable"/],
];

for (const [id, call, environment, told] of shown) {
  test(`${id} shows under ${Object.values(environment)}, and not elsewhere`, async () => {
    const { alteration } = clientDefects.find((defect) => defect.id === id)!;
    const under = (variables: Environment) => traced({ ...call, environment: variables }, [alteration]).then(textOf);
    const right = textOf(await traced(call, []));
    expect(await under(environment)).toMatch(told);
    expect(right).not.toMatch(told);
    expect(await under({})).toBe(right);
    expect(await under(environment === ascii ? { TZ: 'UTC' } : { LC_ALL: 'C', TZ: 'UTC' })).toBe(right);
  });
}

/** Header, fields, the CSV where there is one, and what was read. */
function textOf({ requests: [request], reply }: Awaited<ReturnType<typeof traced>>): string {
  const fields = decodeForm(request!.body).map(([name, value]) =>
    name === 'payload' ? Buffer.from(value, 'base64').toString('utf8') : `${name}=${value}`,
  );
  return [...headerValues(request!.headers, 'authorization'), ...fields, JSON.stringify(reply)].join('\n');
}
