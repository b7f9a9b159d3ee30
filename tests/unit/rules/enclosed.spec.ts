/** Whether and in what the close-day body is enclosed is open (A5): the name of the enclosing member decides nothing. */
import { validateResponse } from '../../../schemas/validate-response.ts';
import { closeDayBody } from '../../../src/rules/answers/close-day-body.ts';
import { expect, test } from '../../engine.ts';
import { finished, sampleCase } from './sample-cases.ts';

const body = Buffer.from(finished().exchange.response!.body).toString();
const rootOf = (text: string) => closeDayBody(sampleCase('close-day', { body: text }).exchange);
const heard = (text: string) => [...validateResponse('close-day', 200, Buffer.from(text)).keys()];

for (const [about, text] of [
  ['under the name of a documented member', `{"response":${body}}`],
  ['under the name of the other one', `{"theRequestSerialNumber":${body}}`],
  ['beside a documented member', `{"closeDay":${body},"theRequestSerialNumber":"1"}`],
  ['beside an object with one of the two', `{"closeDay":${body},"log":{"response":"sent"}}`],
  ['under no name', `{"":${body}}`],
] as const)
  test(`an answer that is enclosed ${about} is read by judge and schema`, () => {
    expect(rootOf(text)).toMatchObject({ wrapped: true, root: rootOf(body)!.root! });
    expect(heard(text)).toEqual(heard(body));
  });

for (const [about, text, row] of [
  ['two of them', `{"a":${body},"b":${body}}`, 'close-day/response-member'],
  ['a response in response', '{"response":{"response":{"status":"finished"}}}', 'close-day/status-present'],
  ['one that is two objects deep', `{"response":{"response":${body}}}`, 'close-day/serial-present'],
] as const)
  test(`${about} is no enclosed answer`, () => {
    expect(rootOf(text)).toMatchObject({ wrapped: false });
    expect(heard(text)).toContain(row);
  });
