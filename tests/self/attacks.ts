/** Gateways whose answers do not match their effects. Needs dist/. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { consumer } from './live-setting.ts';

interface Answer {
  readonly status: number;
  readonly closeDay?: string;
  readonly batch?: string;
}

export interface Behaviour {
  /**
   * The requests with an effect: all, those that a correct gateway accepts, or also the good rows of a refused batch.
   */
  readonly acts: 'always' | 'when accepted' | 'on good rows';
  readonly says:
    | Answer
    | 'honest'
    | 'resets first'
    | 'resets'
    | 'is silent'
    | 'answers by half'
    | 'cuts its chunks'
    | 'talks nonsense'
    | 'redirects'
    | 'says another status each time';
  /** The requests that get this answer. All others get the answer of a correct gateway. */
  readonly about: 'accepted' | 'faulty' | 'all';
}

const closeDayError = (code: string) =>
  `{"response":{"status":"error","errorCode":"${code}","errorMessage":"no"},"theRequestSerialNumber":"1"}`;
const batchAnswer = (type: string, code: string) =>
  `type=${type}\n&serial-number=1\n&error-message=no\n&error-code=${code}\n`;

const says: Readonly<Record<string, Behaviour['says']>> = {
  'refuses as documented': { status: 200, closeDay: closeDayError('7'), batch: batchAnswer('validation-error', '12') },
  'refuses with an empty 403': { status: 403 },
  'refuses with 401': { status: 401 },
  'refuses with error 403': { status: 200, closeDay: closeDayError('403'), batch: batchAnswer('error', '403') },
  'refuses with error 99': { status: 200, closeDay: closeDayError('99'), batch: batchAnswer('error', '99') },
  'refuses with error 500': { status: 403, closeDay: closeDayError('500'), batch: batchAnswer('error', '500') },
  'says ok': { status: 200, closeDay: 'ok', batch: 'ok' },
  'resets before it acts': 'resets first',
  'resets once it has acted': 'resets',
  'is silent': 'is silent',
  'answers by half': 'answers by half',
  'cuts its chunks': 'cuts its chunks',
  'talks nonsense': 'talks nonsense',
  redirects: 'redirects',
  'says another status each time': 'says another status each time',
};

/** The gateways by name. Each lies in those answers that could hide an effect. */
export const attacks: Readonly<Record<string, Behaviour>> = {
  'is right about everything': { acts: 'when accepted', says: 'honest', about: 'all' },
  'starts the good rows of a batch that it refuses': { acts: 'on good rows', says: 'honest', about: 'all' },
  ...Object.fromEntries(
    Object.entries(says).flatMap(([name, said]) => [
      ...(['faulty', 'all'] as const).map(
        (about) => [`acts on everything, and ${name} (${about})`, { acts: 'always', says: said, about }] as const,
      ),
      [`acts on what it accepts, and ${name}`, { acts: 'when accepted', says: said, about: 'accepted' }] as const,
    ]),
  ),
};

interface Counters {
  readonly closedDays: number;
  readonly payments: number;
  readonly cents: number;
}

export interface Zoo {
  /** The base URL of a new gateway with this behaviour. */
  target(behaviour: Behaviour): string;
  /** The effects of the gateway at this base URL. */
  did(target: string): Promise<Counters>;
  close(): void;
}

export async function openZoo(): Promise<Zoo> {
  const path = fileURLToPath(new URL('attacking-gateway.mjs', import.meta.url));
  const child: ChildProcess = fork(path, [JSON.stringify(consumer)], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  let runs = 0;
  return {
    target(behaviour) {
      runs += 1;
      return `http://127.0.0.1:${port}/${runs}/${Buffer.from(JSON.stringify(behaviour)).toString('base64url')}`;
    },
    async did(target) {
      const run = target.split('/')[3]!;
      child.send(run);
      for (;;) {
        const [told] = (await once(child, 'message')) as [{ run: string; did: Counters }];
        if (told.run === run) return told.did;
      }
    },
    close: () => child.disconnect(),
  };
}
