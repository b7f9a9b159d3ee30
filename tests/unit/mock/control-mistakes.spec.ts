/** What the control interface says to a mistake: one sentence on what is wrong, one on what to do. */

import { defaultWorld } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { withControl } from './controlled.ts';

const mistakes: [what: string, method: string, path: string, body: string | undefined, status: number, says: RegExp][] =
  [
    ['a path that is none', 'GET', '/states', undefined, 404, /^there is no GET \/states\. GET \/ says/],
    ['an id too few', 'POST', '/endpoints/1111/gates/lock', undefined, 404, /^there is no POST/],
    ['an empty id', 'POST', '/profiles//stop', undefined, 404, /^there is no POST/],
    ['another method', 'POST', '/state', undefined, 405, /^\/state does not take POST\. send GET$/],
    [
      'another endpoint',
      'POST',
      '/endpoints/9/next-answer',
      '{"kind":"empty-200"}',
      404,
      /no endpoint 9\. GET \/state/,
    ],
    ['another endpoint of a gate', 'POST', '/endpoints/9/gates/7101/lock', undefined, 404, /no endpoint 9/],
    [
      'another gate',
      'POST',
      '/endpoints/1111/gates/1/lock',
      undefined,
      404,
      /^there is no gate 1 of endpoint 1111\. its gates are 7101$/,
    ],
    ['a body where none is wanted', 'POST', '/reset', '{"all":true}', 400, /^"all" is not known here\. send no body$/],
    ['no body', 'POST', '/endpoints/1111/next-answer', undefined, 400, /^the body is not JSON: /],
    ['half a body', 'POST', '/endpoints/1111/next-answer', '{"kind":', 400, /^the body is not JSON: .*position 8/],
    ['a member twice', 'POST', '/reset', '{"a":1,"a":2}', 400, /^the body is not JSON: .*"a" occurs twice/],
    ['an array', 'POST', '/endpoints/1111/next-answer', '[]', 400, /^the body is not a JSON object\. /],
    ['no kind', 'POST', '/endpoints/1111/next-answer', '{}', 400, /^kind is missing\. it is one of "empty-200", /],
    [
      'another kind',
      'POST',
      '/endpoints/1111/next-answer',
      '{"kind":200}',
      400,
      /^kind has another value\. it is one of "empty-200", /,
    ],
    ['no type', 'POST', '/endpoints/1111/next-answer', '{"kind":"parameters"}', 400, /^type is missing\. it is one of/],
    ['a date without a zone', 'POST', '/profiles/1/finish-date', '{"finishDate":"2027-01-31T00:00:00"}', 400, /zone/],
    ['a day that is none', 'POST', '/profiles/1/finish-date', '{"finishDate":"2027-13-31T00:00:00Z"}', 400, /zone/],
    [
      'a date as a number',
      'POST',
      '/profiles/1/finish-date',
      '{"finishDate":1}',
      400,
      /^finishDate is not a point in time\. write date/,
    ],
  ];

for (const [what, method, path, body, status, says] of mistakes) {
  test(`${what} is ${status} with a sentence`, async () => {
    await withControl(async ({ ask }) => {
      const answer = await ask(method, path, body);
      expect(answer.status).toBe(status);
      expect(`${answer.json.error}. ${answer.json.hint}`).toMatch(says);
      if (status === 405) expect(answer.allow).toBe('GET');
    });
  });
}

const wrongAnswers: [members: string, says: RegExp][] = [
  ['"kind":"empty-200","httpStatus":200', /^kind empty-200 has no further members\. /],
  [
    '"kind":"parameters","type":"errors"',
    /^type has another value\. it is one of "process-recurring-payment-response", /,
  ],
  ['"kind":"parameters","type":"error","code":500', /^code has another value\. it is one of "200", "403", "500"$/],
  [
    '"kind":"parameters","type":"process-recurring-payment-response","code":"200"',
    /^type process-recurring-payment-response has no code\. code goes with/,
  ],
  [
    '"kind":"parameters","type":"error","httpStatus":204',
    /^httpStatus has another value\. it is a number from 200 to 599/,
  ],
  ['"kind":"parameters","type":"error","httpStatus":"200"', /^httpStatus has another value/],
  ['"kind":"parameters","type":"error","httpStatus":600', /^httpStatus has another value/],
  ['"kind":"parameters","type":"error","errorIdName":"a=b"', /^errorIdName has another value/],
  ['"kind":"parameters","type":"error","errorIdName":"status"', /^errorIdName has another value/],
  ['"kind":"parameters","type":"error","lineFeed":"\\n"', /^lineFeed has another value\. it is one of "raw", "%0A"$/],
  ['"kind":"parameters","type":"error","message":"x"', /^"message" is not known here\. known are kind, type, code, /],
];

test('each mistake in a scripted answer has its sentence, and none is put into the queue', async () => {
  await withControl(async ({ ask, mock }) => {
    for (const [members, says] of wrongAnswers) {
      const { status, json } = await ask('POST', '/endpoints/1111/next-answer', `{${members}}`);
      expect([status, `${json.error}. ${json.hint}`], members).toEqual([400, expect.stringMatching(says)]);
    }
    expect(mock.world.nextAnswers.get('1111') ?? []).toEqual([]);
  });
});

test('in a world that lists its profiles another one is not found', async () => {
  const world = defaultWorld({ profiles: [{ id: '1', state: 'active' }] });
  await withControl(
    async ({ ask }) => {
      for (const action of ['stop', 'finish-date']) {
        const { status, json } = await ask('POST', `/profiles/2/${action}`);
        expect([status, json.error]).toEqual([404, 'there is no recurring profile 2']);
      }
    },
    { world },
  );
});
