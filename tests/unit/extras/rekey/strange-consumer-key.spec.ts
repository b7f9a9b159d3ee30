/** A consumer key of the flags that no request names is told, since nothing is checked with the keys given then. */
import { strangeConsumerKey } from '../../../../src/extras/rekey/keys.ts';
import type { Recording } from '../../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../../engine.ts';
import { sampleCase } from '../../checks/sample-cases.ts';

const signed = sampleCase('close-day', {});
const exchange = {
  ...signed.exchange,
  request: {
    ...signed.exchange.request,
    headers: [['Authorization', 'OAuth oauth_consumer_key="shop%201", oauth_signature="x"']] as [string, string][],
  },
};
const recordings = [{ client: { calls: [] }, cases: [{ ...signed, exchange }] }] as unknown as Recording[];

test('a consumer key that some request names, or none that was given, is nothing to tell', () => {
  expect(strangeConsumerKey('shop 1', recordings, 'gateway')).toBeUndefined();
  expect(strangeConsumerKey(undefined, recordings, 'gateway')).toBeUndefined();
});

test('one that no request names is told', () => {
  for (const given of ['shop', 'Shop 1', 'shop%201'])
    expect(strangeConsumerKey(given, recordings, 'gateway')).toContain(`${JSON.stringify(given)} of --consumer-key`);
  expect(strangeConsumerKey('shop 1', recordings, 'client')).toContain('no request names');
});
