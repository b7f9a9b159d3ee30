/** A matrix with every state, for those who look at it. */
import type { CellRun, CellState, ImplementationMatrix } from '../../../../src/extras/matrix/matrix.ts';
import { liveWaits } from '../../../../src/extras/matrix/run-matrix.ts';

const run = (day: number, state: CellState, more: Partial<CellRun> = {}): CellRun => ({
  at: `2026-01-${day}T04:00:00.000Z`,
  state,
  suite: '0.1.0',
  version: '2.1.0',
  ...more,
});
const counts = { error: 0, fail: 0, inconclusive: 0, pass: 71, 'not-applicable': 0 };
const folder = 'runs/client/our-client/rfc5849/2026-01-31T04-00-00-000Z';
const reason = 'The adapter exited with code 127 before it had answered hello';

export const shownMatrix: ImplementationMatrix = {
  format: 'countersign-matrix',
  formatVersion: 1,
  id: '0123456789abcdef0123456789abcdef',
  title: 'Gateway team',
  updatedAt: '2026-01-31T04:10:00.000Z',
  suite: { name: 'countersign', version: '0.1.0' },
  profiles: ['rfc5849', 'strict'],
  implementations: [
    {
      kind: 'client',
      name: 'our-client',
      cells: [
        {
          profile: 'rfc5849',
          runs: [
            run(30, 'conformant', { counts }),
            run(31, 'non-conformant', { counts: { ...counts, fail: 1, pass: 70 }, run: folder }),
          ],
        },
        {
          profile: 'strict',
          runs: [run(20, 'conformant', { counts, run: 'runs/client/our-client/strict/2026-01-20T04-00-00-000Z' })],
        },
      ],
    },
    {
      kind: 'client',
      name: 'other/client',
      cells: ['rfc5849', 'strict'].map((profile) => ({
        profile,
        runs: [run(30, 'aborted', { reason: 'the adapter fell over' }), run(31, 'unsupported', { reason })],
      })),
    },
    {
      kind: 'gateway',
      name: 'mock',
      cells: [
        {
          profile: 'rfc5849',
          runs: [run(31, 'conformant', { counts, hazards: 1, concluded: 'conformant, with 1 hazard' })],
        },
        { profile: 'strict', runs: [run(31, 'partial', { counts, only: ['close-day/*'] })] },
      ],
    },
    {
      kind: 'gateway',
      name: 'integration',
      waits: liveWaits,
      cells: ['rfc5849', 'strict'].map((profile) => ({ profile, runs: [] })),
    },
  ],
  changes: [
    {
      at: '2026-01-31T04:00:00.000Z',
      kind: 'client',
      name: 'our-client',
      profile: 'rfc5849',
      from: 'conformant',
      to: 'non-conformant',
      is: 'worse',
      sentence: 'our-client, rfc5849: conformant became non-conformant; broke close-day/path',
      broke: ['close-day/path'],
      fixed: [],
      run: folder,
    },
  ],
  news: 1,
};
