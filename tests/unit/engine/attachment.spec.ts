/** A record goes to the reporter in parts, and is put together there. */

import { attachmentName, attachRecord, recordOf } from '../../../src/app/attachment.ts';
import { fromJson } from '../../../src/record/json.ts';
import type { ClientRecord } from '../../../src/run/client/client-record.ts';
import { expect, test } from '../../engine.ts';

const nothing: ClientRecord = { scenario: 'close-day/minimal', cases: [], skipped: [], notes: [], suiteErrors: [] };
const caseAt = (number: number) => ({ scenario: nothing.scenario, number }) as ClientRecord['cases'][number];
const long: ClientRecord = { ...nothing, cases: Array.from({ length: 450 }, (_, at) => caseAt(at + 1)) };

/** What the engine would send for each `push`, as it is at that moment. */
function sentParts(record: ClientRecord): { readonly parts: unknown[]; readonly kept: object[] } {
  const [parts, kept]: [unknown[], object[]] = [[], []];
  attachRecord(
    {
      attachments: {
        push: (one: { name: string; body?: Buffer }) => {
          expect(one.name).toBe(attachmentName);
          kept.push(one);
          return parts.push(fromJson(one.body!.toString('utf8')));
        },
      } as never,
    },
    record,
  );
  return { parts, kept };
}

test('a record of one case and one of none come back as they were', () => {
  for (const record of [
    nothing,
    {
      ...nothing,
      cases: [caseAt(1)],
      notes: [{ kind: 'notes', first: ['a note'], count: 2 }],
      givenUp: 'it said nothing',
    },
  ]) {
    const { cases, rest } = recordOf(sentParts(record).parts);
    expect({ ...rest, cases }).toEqual(record);
  }
});

test('a long record is sent in parts of 200 cases, of which none is kept once it is sent', () => {
  const { parts, kept } = sentParts(long);
  expect(parts.map((part) => (Array.isArray(part) ? part.length : 'the rest'))).toEqual([200, 200, 50, 'the rest']);
  expect(kept.filter((one) => 'body' in one)).toEqual([]);
  expect(recordOf(parts).cases).toEqual(long.cases);
});

test('of a record whose last part never came there are the cases that came', () => {
  expect(recordOf(sentParts(long).parts.slice(0, 2))).toEqual({ cases: long.cases.slice(0, 400) });
  expect(recordOf([])).toEqual({ cases: [] });
});
