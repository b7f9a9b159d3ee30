/** Where a gateway refuses right requests, the row has what is needed to find out why: the base string that was signed. */
import { createHmac } from 'node:crypto';
import { runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { gatewayScenarios } from '../../../src/plan/index.ts';
import { percentDecode } from '../../../src/protocol/index.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import { performScenario } from '../../../src/run/gateway/run-scenario.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { explainRefusal } from '../../../src/verdict/explain-refusal.ts';
import { expect, test } from '../../engine.ts';

const id = 'authentication/close-day-valid-accepted';
const optionsWith = (defects: readonly string[]) =>
  completeRunOptions({ seed: '7', defects, only: [id] }, 0, '/nowhere');

test('the base string of a refused right request is the one that its signature is made over', async () => {
  const scenario = gatewayScenarios.find((one) => one.id === 'close-day/minimal')!;
  const { cases } = await performScenario(scenario, optionsWith(['authentication/body-left-out']));
  const explained = explainRefusal({ id }, [1], cases).explanations?.[0];
  const header = headerValues(cases[0]!.exchange.request.headers, 'authorization')[0]!;
  const sent = percentDecode(/oauth_signature="([^"]*)"/.exec(header)![1]!);
  const made = createHmac('sha1', 'published-secret-for-tests-only&').update(explained!.baseString!).digest('base64');
  expect(made).toBe(sent);
  expect(explained?.facts.join()).toContain('countersign autopsy exchanges.har --entry 1');
  expect(explainRefusal({ id: 'authentication/close-day-unsigned-refused' }, [1], cases)).toEqual({});
});

test('where another right request was accepted the key is right, and nothing says that it may differ', async () => {
  const scenario = gatewayScenarios.find((one) => one.id === 'close-day/minimal')!;
  const { cases } = await performScenario(scenario, optionsWith(['authentication/body-left-out']));
  const { cases: right } = await performScenario(scenario, optionsWith([]));
  const said = (others: typeof cases) =>
    explainRefusal({ id }, [1], [...cases, ...others]).explanations?.[0]?.facts.join();
  expect(said([])).toContain('where they are equal, the keys differ');
  expect(said(right)).toContain('Other right requests of this operation were accepted, so that the key is right');
  expect(said(right)).not.toContain('the keys differ');
});

test('a report of refused right requests has it, and one of accepted ones does not', async () => {
  const rowOf = async (defects: readonly string[]) =>
    (await runInProcess(optionsWith(defects), { secondVoice: false })).results.find((row) => row.id === id)!;
  const refused = await rowOf(['authentication/first-parameter-dropped']);
  expect(refused).toMatchObject({ outcome: 'fail', actual: 'HTTP 200 with error 403 "oauth_consumer_key is missing"' });
  expect(refused.explanations).toHaveLength(1);
  expect(refused.explanations?.[0]?.baseString).toMatch(/^POST&http%3A%2F%2F127\.0\.0\.1/);
  expect((await rowOf([])).explanations).toBeUndefined();
});
