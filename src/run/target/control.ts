/** Client of a mock's control interface: sets gate states and scripts answers. */

import type { ScriptedAnswer } from '../../plan/scenario.ts';
import { fetchText } from '../../record/fetch-text.ts';

export interface MockCounters {
  readonly closedDays: number;
  readonly startedPayments: number;
  readonly totalAmount: string;
}

export interface Control {
  counters(): Promise<MockCounters>;
  gatesOf(endpointId: string): Promise<readonly string[]>;
  put(endpointId: string, state: keyof typeof actions): Promise<void>;
  setNextAnswer(endpointId: string, answer: ScriptedAnswer): Promise<void>;
}

const limitMs = 5_000;
const maxMegabytes = 16;

const actions = { open: 'close-by-hand', closing: 'closing', locked: 'lock', unlocked: 'remove-lock' } as const;

export function controlOf(controlUrl: string): Control {
  const base = controlUrl.replace(/\/+$/, '');
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    try {
      const init = {
        method,
        // The mock refuses other types, because web pages could send them.
        ...(method === 'POST' ? { headers: { 'Content-Type': 'application/json' } } : {}),
        body: body && JSON.stringify(body),
      };
      const { status, text } = await fetchText(`${base}${path}`, init, { limitMs, maxMegabytes });
      if (status < 200 || status > 299) throw new Error(`HTTP ${status}`);
      return orNotJson(text);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`the control interface ${base} failed on ${method} ${path}: ${why}`, { cause });
    }
  };
  const gatesOf = async (endpointId: string): Promise<readonly string[]> => {
    const { endpoints } = (await ask('GET', '/state')) as State;
    return endpoints.find(({ id }) => id === endpointId)?.gates.map(({ gateId }) => gateId) ?? [];
  };
  return {
    async counters() {
      const counters = (await ask('GET', '/counters')) as Partial<MockCounters> | null;
      if (isCounters(counters)) return counters;
      throw new Error(`the control interface ${base} has no valid counters of days, payments and their total`);
    },
    gatesOf,
    async put(endpointId, state) {
      for (const gateId of await gatesOf(endpointId)) {
        const gate = `/endpoints/${encodeURIComponent(endpointId)}/gates/${encodeURIComponent(gateId)}`;
        await ask('POST', `${gate}/${actions[state]}`);
      }
    },
    async setNextAnswer(endpointId, answer) {
      await ask('POST', `/endpoints/${encodeURIComponent(endpointId)}/next-answer`, answer);
    },
  };
}

interface State {
  readonly endpoints: readonly { readonly id: string; readonly gates: readonly { readonly gateId: string }[] }[];
}

function isCounters(value: Partial<MockCounters> | null): value is MockCounters {
  const { closedDays = -1, startedPayments = -1, totalAmount } = value ?? {};
  const areCounts = [closedDays, startedPayments].every((count) => Number.isInteger(count) && count >= 0);
  return areCounts && typeof totalAmount === 'string' && /^\d+(?:\.\d+)?$/.test(totalAmount);
}

function orNotJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('its answer is not JSON', { cause });
  }
}
