/** A long recording is judged in groups, which changes nothing of what is found. */

import { type RequirementId, requirementById } from '../../../contracts/requirements/index.ts';
import { clientJudges } from '../../../src/checks/client/index.ts';
import { observeClient } from '../../../src/checks/client/observe-client.ts';
import { clientEvidence } from '../../../src/client-run/client-evidence.ts';
import { judgeCalls } from '../../../src/client-run/judge-calls.ts';
import type { ClientCase } from '../../../src/exchange/client-case.ts';
import type { Exchange } from '../../../src/exchange/exchange.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, keysOf, recurring, unsent } from '../checks/client/sample-requests.ts';

/** More than are judged at a time, with faults in different places. */
const kinds: readonly ((index: number) => ClientCase)[] = [
  () => closeDay(),
  () => closeDay({ method: 'GET' }),
  () => unsent({ outcome: 'refused_locally' }, { input: 'mandatory' }),
  () => ({ ...closeDay(), wire: [...closeDay().wire, ...closeDay().wire] }),
  (index) => (index > 600 ? recurring() : closeDay({ contentType: null })),
];
let calls: ClientCase[];
let requests: Exchange[];
test.beforeAll(() => {
  calls = Array.from({ length: 1203 }, (_, index) => kinds[index < 20 ? 0 : index % 5]!(index));
  // The nonce of the first one is used again, two groups later.
  calls[1100] = calls[0]!;
  requests = calls.flatMap(({ wire }) => wire);
});

const ids = Object.keys(clientJudges) as RequirementId[];
const keys = { keysOf, hasKeys: true };

test('calls that are judged group by group have the outcomes, texts and places that all of them together have', () => {
  const judged = judgeCalls(calls, ids, keys);
  const first = new Map(requests.map((exchange, index) => [exchange, index + 1]));
  // The request that comes twice has two numbers, of which a map knows one.
  const known = (number: number) => first.get(requests[number - 1]!)!;
  for (const id of ids) {
    const verdicts = clientJudges[id as keyof typeof clientJudges]({ id, cases: calls, ...keys });
    const expected = verdicts.map(({ finding: { outcome }, examined, exchange }) => ({
      outcome,
      exchanges: (exchange === undefined ? examined.wire : [exchange]).map((one) => first.get(one)!),
    }));
    const found = judged.findingsOn(id);
    const outcomes = ['pass', 'fail', 'inconclusive', 'not-applicable', 'error'] as const;
    const inGroups = outcomes.map((outcome) => {
      const ofOutcome = found.filter(({ finding }) => finding.outcome === outcome);
      const times = ofOutcome.reduce((sum, { times = 1 }) => sum + times, 0);
      return [ofOutcome[0]?.finding, times, ofOutcome.flatMap(({ exchanges }) => exchanges.map(known))];
    });
    const together = outcomes.map((outcome) => {
      const same = verdicts.filter(({ finding }) => finding.outcome === outcome);
      const exchanges = expected.filter((one) => one.outcome === outcome).flatMap((one) => one.exchanges);
      return [same[0]?.finding, same.length, exchanges];
    });
    expect(inGroups, id).toEqual(together);
  }
  expect(judged.findingsOn('authentication/nonce-unique').some(({ finding }) => finding.outcome === 'fail')).toBe(true);
});

test('what is observed of calls group by group is what is observed of all of them', () => {
  const observed = observeClient(calls).map(({ openPoint, value, exchanges }) => [openPoint, value, exchanges.length]);
  const found = judgeCalls(calls, [], keys).observations();
  expect(found.map(({ openPoint, value, exchanges }) => [openPoint, value, exchanges.length])).toEqual(observed);
});

test('a judge that throws takes the verdict on no other row', () => {
  const broken = {
    ...keys,
    keysOf: () => {
      throw new Error('no keys today');
    },
  };
  const judged = judgeCalls(calls, ids, broken);
  expect(() => judged.findingsOn('authentication/signature-verifies')).toThrow('no keys today');
  expect(judged.findingsOn('close-day/method').some(({ finding }) => finding.outcome === 'fail')).toBe(true);
});

test('what a client declines for all calls of an operation is open because of what it can do, and not of what it did', () => {
  const declined = unsent(
    { outcome: 'unsupported', reason: 'no RSA' },
    {},
    { operation: 'process-recurring-payments' },
  );
  const silenceOf = (calls: readonly ClientCase[], id = 'recurring/payload-only') => {
    const offered = ['close-day', 'process-recurring-payments'] as const;
    return clientEvidence({ calls, skipped: [], offered }, keys).whySilent!(requirementById(id)!);
  };
  expect(silenceOf([closeDay(), declined])).toEqual({
    outcome: 'inconclusive',
    blame: 'configuration',
    actual: 'the client does not support the input: no RSA',
  });
  expect(silenceOf([closeDay(), declined, recurring()])).toMatchObject({ blame: 'subject' });
  expect(silenceOf([closeDay()])).toMatchObject({ blame: 'subject' });
  const failed = { ...declined, reply: { outcome: 'adapter_error' } } as const;
  expect(silenceOf([failed], 'authentication/uri-port')?.actual).toBe('no call of the client could show it');
  expect(silenceOf([closeDay()], 'authentication/uri-port')?.actual).toContain('with any form of the URI');
});
