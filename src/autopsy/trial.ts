/** Computes one candidate after the other and compares it with what was signed, within limits. */
import type { Candidates } from './candidates.ts';
import { combine, type Deviation } from './deviation.ts';
import type { FoundDeviations } from './found-deviations.ts';
import type { SignatureReading } from './readings.ts';

export interface Trial {
  readonly found: FoundDeviations[];
  readonly triedCount: number;
  /** Computes a set, compares it with every reading, and gives what it comes to; undefined once a limit is reached. */
  attempt(set: readonly Deviation[]): string | undefined;
  /** What a set comes to, whatever the limits, and without comparing it. */
  trace(set: readonly Deviation[]): string;
  /** Allows so many further attempts, as far as the work allows, and a few in any case. Before the first call all are. */
  allow(attempts: number): void;
  /** Allows any number of further attempts, as far as five times the work. */
  allowAll(): void;
}

/** Attempts that are allowed whatever the size of the request, each time some are. */
const always = 20;

/** `work` is how much may be done, in characters of base strings hashed. */
export function trialOf(candidates: Candidates, readings: readonly SignatureReading[], work: number): Trial {
  const ways = waysOf(readings);
  const baseLength = candidates.baseString([]).length;
  const found: FoundDeviations[] = [];
  let triedCount = 0;
  let most = Number.POSITIVE_INFINITY;
  let mostWork = Number.POSITIVE_INFINITY;
  const utmost = 5 * work;
  const results = (set: readonly Deviation[]): string[] => ways.map((way) => computed(candidates, set, way));
  return {
    found,
    get triedCount() {
      return triedCount;
    },
    attempt: (set) => {
      if (!combine(set)) return '';
      if (triedCount >= most || candidates.work() >= mostWork) return undefined;
      triedCount += 1;
      const all = results(set);
      all.forEach((hex, index) => {
        for (const reading of ways[index]!.readings) {
          if (reading.matches(hex)) found.push({ deviations: set, reading });
        }
      });
      return all.join();
    },
    trace: (set) => results(set).join(),
    allow: (attempts) => {
      most = triedCount + attempts;
      mostWork = Math.max(work, Math.min(utmost, candidates.work() + Math.min(attempts, always) * baseLength));
    },
    allowAll: () => {
      most = Number.POSITIVE_INFINITY;
      mostWork = utmost;
    },
  };
}

/** Readings that are compared with one and the same computation. */
interface Way {
  readonly kind: SignatureReading['kind'];
  readonly hash: SignatureReading['hash'];
  readonly readings: readonly SignatureReading[];
}

function waysOf(readings: readonly SignatureReading[]): Way[] {
  return readings
    .filter(({ kind, hash }, index) => readings.findIndex((one) => one.kind === kind && one.hash === hash) === index)
    .map(({ kind, hash }) => ({
      kind,
      hash,
      readings: readings.filter((one) => one.kind === kind && one.hash === hash),
    }));
}

function computed(candidates: Candidates, set: readonly Deviation[], { kind, hash }: Way): string {
  switch (kind) {
    case 'hmac':
      return candidates.mac(set, hash);
    case 'rsa':
      return candidates.digest(set, hash);
    case 'plaintext':
      return Buffer.from(candidates.keyText(set)).toString('hex');
  }
}
