/** What the calls of a client show, row by row. */
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { ClientCase } from '../../../src/record/client-case.ts';
import { clientEvidence } from '../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, keysOf, recurring, unsent } from '../rules/client/sample-requests.ts';

const keys = { keysOf, hasKeys: true };

test('a judge that throws takes the verdict on no other row', () => {
  const broken = {
    ...keys,
    keysOf: () => {
      throw new Error('no keys today');
    },
  };
  const calls = [closeDay(), closeDay({ method: 'GET' })];
  const evidence = clientEvidence({ calls, skipped: [] }, broken);
  expect(() => evidence.judge('authentication/signature-verifies')).toThrow('no keys today');
  expect(evidence.judge('close-day/method').map(({ finding }) => finding.outcome)).toEqual(['pass', 'fail']);
});

test('what a client declines for all calls of an operation is open because of what it can do, and not of what it did', () => {
  const declined = unsent(
    { outcome: 'unsupported', reason: 'no RSA' },
    {},
    { operation: 'process-recurring-payments' },
  );
  const silenceOf = (calls: readonly ClientCase[], id = 'recurring/payload-only') => {
    const offered = ['close-day', 'process-recurring-payments'] as const;
    return clientEvidence({ calls, skipped: [], offered }, keys).noVerdictReason!(requirementById(id)!);
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
