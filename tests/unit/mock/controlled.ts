/** A mock with its control interface, for tests that move it and then call it. */

import { type MockOptions, type RunningMock, startMock } from '../../../src/mock/index.ts';
import { expect } from '../../engine.ts';
import { batchRequest, csv, noon, request } from './caller.ts';
import { send } from './send.ts';

export const limitMs = 10_000;

/** Whatever came: the assertions say what it has to be. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface Controlled {
  readonly mock: RunningMock;
  ask(method: string, path: string, body?: string): Promise<{ status: number; allow: string | null; json: Parsed }>;
  closeDay(endpointId?: string): Promise<Parsed>;
  batch(): Promise<{ status: number; body: string }>;
}

/** Runs `use` with a mock whose clock stands still, and closes it. */
export async function withControl(
  use: (controlled: Controlled) => Promise<void>,
  options: MockOptions = {},
): Promise<void> {
  const mock = await startMock({ now: () => noon, control: { port: 0 }, ...options });
  const host = `127.0.0.1:${mock.port}`;
  try {
    await use({
      mock,
      ask: async (method, path, body) => {
        const signal = AbortSignal.timeout(limitMs);
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch(mock.controlUrl + path, { method, body, signal, headers });
        expect(answer.headers.get('content-type')).toBe('application/json');
        return { status: answer.status, allow: answer.headers.get('allow'), json: await answer.json() };
      },
      closeDay: async (endpointId) => JSON.parse((await send(mock.port, request({ host, endpointId }))).body).response,
      batch: () => send(mock.port, batchRequest(csv, { host })),
    });
  } finally {
    await mock.close();
  }
}
