/** Subjects that no row describes: whoever accepts, refuses or praises everything comes out as what they are, and never as right. */
import type { Operation } from '../../contracts/operations.ts';
import { requirements } from '../../contracts/requirements/index.ts';
import { newRepeated, runClientInProcess, runInProcess } from '../../src/app/prove/run-in-process.ts';
import type { Alteration } from '../../src/mock/alteration.ts';
import { stepNames } from '../../src/mock/operations.ts';
import { withBody, withStatus } from '../../src/mock/responses.ts';
import { type ClientAlteration, operationSteps } from '../../src/peer/client/client.ts';
import { ordinaryCalls } from '../../src/plan/client/cases.ts';
import type { LocalAnswer } from '../../src/plan/scenario.ts';
import type { Decoded } from '../../src/record/case.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';

/** Rows that say what a gateway refuses. */
const refusalRows: readonly string[] = requirements.flatMap(({ id, side, untestable }) =>
  side === 'gateway' && untestable === undefined && /-(?:refused|enforced)$/.test(id) ? [id] : [],
);

/** With the outcomes that the rows about refusals may have. Without an accepted twin a refusal shows nothing. */
const gateways: Readonly<Record<string, readonly [Alteration, outcomes: readonly string[]]>> = {
  'accepts everything': [{ skips: stepNames }, ['fail']],
  'refuses everything': [{ refuses: () => 'nothing is accepted' }, ['inconclusive', 'fail']],
  'answers 500': [{ writes: (reply) => withBody(withStatus(reply, 500), '') }, ['inconclusive', 'fail']],
  'answers an empty 200': [{ writes: (reply) => withBody(withStatus(reply, 200), '') }, ['inconclusive', 'fail']],
};

const repeated = newRepeated();
for (const [at, [name, [alteration, expected]]] of Object.entries(gateways).entries()) {
  test(`a gateway that ${name} passes no row about refusals`, { tag: at < 1 ? [] : ['@all'] }, async () => {
    const options = completeRunOptions({ seed: 'extremes', cases: at < 1 ? 2 : 4 }, Date.now(), '/nowhere');
    const { result } = await runInProcess(options, { alterations: [alteration], repeated });
    const { conclusion, results } = result;
    const judged = results.filter(({ id }) => refusalRows.includes(id));
    expect(judged.filter(({ outcome }) => !expected.includes(outcome)).map(({ id }) => id)).toEqual([]);
    expect(judged).toHaveLength(refusalRows.length);
    expect(['partial', 'non-conformant']).toContain(conclusion);
  });
}

type ReplyAnswer = Extract<LocalAnswer, { kind: 'reply' }>;
const successOf = (operation: Operation): Decoded =>
  operationSteps[operation].read({ reason: 'OK', ...(ordinaryCalls[operation].answer as ReplyAnswer) });
const empty = { response: { status: 200, reason: 'OK', headers: [], body: new Uint8Array() } };
const clients: Readonly<Record<string, ClientAlteration>> = {
  'refuses every input': { refusal: () => ({ stage: 'input', reason: 'nothing is sent' }) },
  'sends nothing and reports success': {
    send: () => async () => empty,
    decoded: (_, { operation }) => successOf(operation),
  },
  'takes every answer for success': { decoded: (_, { operation }) => successOf(operation) },
  'decodes no answer': { decoded: () => ({ kind: 'undecodable', reason: 'nothing is read' }) },
  'reports a reset in place of each answer': {
    send: (send) => async (request, connection) => {
      await send(request, connection);
      return { failure: { kind: 'reset', message: 'the connection was reset' } };
    },
  },
};
for (const [at, [name, alteration]] of Object.entries(clients).entries()) {
  test(`a client that ${name} is never conformant`, { tag: at % 2 === 0 ? [] : ['@all'] }, async () => {
    const { result } = await runClientInProcess({ seed: 'extremes', cases: 4 }, [alteration]);
    const { conclusion, results } = result;
    expect(['partial', 'non-conformant']).toContain(conclusion);
    expect(results.filter(({ outcome }) => outcome === 'error')).toEqual([]);
  });
}
