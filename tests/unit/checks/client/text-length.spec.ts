/** The length of a text that a client sent, which may be all of a batch. */
import { atLeast, atMost } from '../../../../src/checks/client/text-length.ts';
import { expect, test } from '../../../engine.ts';
import { closeDay, findingsOn, replaced, sent } from './sample-requests.ts';

test('letters are counted as far as the limit and no further, of a text of megabytes too', () => {
  const made: (string | undefined)[] = [];
  const segment = Intl.Segmenter.prototype.segment;
  Intl.Segmenter.prototype.segment = function (text) {
    made.push(text.length > 10_000 ? 'long' : undefined);
    return segment.call(this, text);
  };
  try {
    expect(atMost(10, 'é'.repeat(3_000_000))).toMatchObject({
      outcome: 'fail',
      expected: 'at most 10 characters',
      actual: '3000000 characters',
    });
    expect(atLeast(8, 'é'.repeat(3_000_000)).outcome).toBe('pass');
  } finally {
    Intl.Segmenter.prototype.segment = segment;
  }
  expect(made).toEqual([undefined, undefined]);
});

test('a letter with many accents is one, however long it is', () => {
  expect(atMost(10, `a${'\u0301'.repeat(2_000)}`)).toMatchObject({ outcome: 'pass' });
  expect(atMost(1, `a${'\u0301'.repeat(2_000)}b`)).toMatchObject({ outcome: 'fail' });
});

test('an accent belongs to the letter before it, and to no digit', () => {
  const about = 'close-day/request-id-alphabet';
  const judged = (value: string) => findingsOn(about, [closeDay(sent(replaced('day_close_request_id', value)))])[0];
  expect(judged('1日e\u0301')).toMatchObject({ outcome: 'pass' });
  expect(judged('日1\u0301')).toMatchObject({ outcome: 'fail' });
  expect(judged('\u0301日')).toMatchObject({ outcome: 'fail' });
  expect(judged('日-日')).toMatchObject({ outcome: 'fail' });
});
