/** The calls of a long record stay in its file: nothing of what is found changes, and the file is not read again for each requirement. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { clientJudges } from '../../../src/checks/client/index.ts';
import { clientEvidence } from '../../../src/client-run/client-evidence.ts';
import { numberCalls } from '../../../src/client-run/number-calls.ts';
import type { ClientCase } from '../../../src/exchange/client-case.ts';
import { readHar, toHar } from '../../../src/exchange/har.ts';
import { type ByteSource, sourceOf } from '../../../src/exchange/har-parts.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, keysOf, recurring, unsent } from '../checks/client/sample-requests.ts';
import { sampleCases } from '../report/sample-cases.ts';

const suite = { name: 'countersign', version: '0.0.0' };
const ids = Object.keys(clientJudges) as RequirementId[];
const stages = { csv_b64: 'Y3N2', payload: 'Y3N2', signature: 'none' };

const made: readonly ClientCase[] = [
  closeDay(),
  recurring({ reply: { outcome: 'completed', decoded: { kind: 'accepted' }, stages } }),
  recurring({ label: { about: 'recurring/amount-numeric', input: 'forbidden' } }),
  closeDay({ method: 'GET' }),
  unsent({ outcome: 'completed' }, { input: 'mandatory' }),
  recurring({ asked: null }),
];
const client = { calls: made.map((call, index) => ({ ...call, scenario: 's', number: index + 1 })), skipped: [] };
const har = Buffer.from(toHar(numberCalls(client.calls).cases, { suite }, { client }));

/** The file with its entries far apart, as a file is read ahead, and how often each place was read. */
function fileOf(bytes: Buffer): { readonly source: ByteSource; readonly reads: Map<number, number> } {
  const apart = bytes.toString().replaceAll('\n', `\n${' '.repeat(1024 * 1024)}`);
  const [whole, reads] = [sourceOf(Buffer.from(apart)), new Map<number, number>()];
  const read = (start: number, end: number) => {
    reads.set(start, (reads.get(start) ?? 0) + 1);
    return whole.read(start, end);
  };
  return { source: { ...whole, isWhole: false, onDemand: 'of-clients', read }, reads };
}

test('they are equal to those that were read at once, and are written to the same file', () => {
  const [later, atOnce] = [readHar(fileOf(har).source).client!, readHar(har).client!];
  expect(JSON.parse(JSON.stringify(later))).toEqual(JSON.parse(JSON.stringify(atOnce)));
  expect(toHar(numberCalls(later.calls).cases, { suite }, { client: later })).toBe(har.toString());
});

test('what they were given, their steps and their messages are in the file alone', () => {
  const { source, reads } = fileOf(har);
  const { calls } = readHar(source).client!;
  const batch = calls.find(({ reply }) => reply?.decoded?.kind === 'accepted')!;
  const look: readonly (() => unknown)[] = [
    () => batch.wire[0]!.request,
    () => batch.asked!.input,
    () => batch.reply!.stages,
  ];
  for (const part of look) {
    // Another one is the last that was read.
    expect(calls[0]!.wire[0]!.response?.status).toBe(200);
    reads.clear();
    expect(part()).toBeDefined();
    expect(reads.size).toBe(1);
  }
  expect(JSON.stringify(batch.reply!.stages)).toBe(JSON.stringify(stages));
});

test('all requirements together read an entry a few times, and find what they find in memory', () => {
  const { source, reads } = fileOf(har);
  const [later, atOnce] = [readHar(source).client!, readHar(har).client!];
  reads.clear();
  const [found, expected] = [later, atOnce].map((run) => {
    const evidence = clientEvidence(run, { keysOf, hasKeys: true });
    evidence.expect!(ids);
    return [ids.map((id) => [id, evidence.judge(id)]), evidence.observations()];
  });
  expect(found).toEqual(expected);
  expect(Math.max(...reads.values())).toBeLessThan(3);
});

test('the answers of a gateway are in memory, as each of its requirements looks at all of them', () => {
  const { source, reads } = fileOf(Buffer.from(toHar(sampleCases, { suite })));
  const { entries } = readHar(source);
  reads.clear();
  expect(entries.map(({ exchange }) => exchange.request.method)).toHaveLength(sampleCases.length);
  expect(reads.size).toBe(0);
});
