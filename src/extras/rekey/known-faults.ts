/** The faults of signers that were met so far: a client makes the same one again and again, and a whole search takes half a second. */
import { allDeviationsOf, type FoundDeviations } from '../../autopsy/found-deviations.ts';
import {
  type Candidates,
  candidatesFor,
  type Deviation,
  dialects,
  hostSpellings,
  type RequestEvidence,
  type Secrets,
  searchedDeviations,
} from '../../autopsy/index.ts';
import type { SignatureReading } from '../../autopsy/readings.ts';
import { type SearchLimits, search, trialOf } from '../../autopsy/search.ts';

/** Pairs of deviations; more would take a second for each request. */
const whole: SearchLimits = { depth: 2, deep: 0, work: 60_000_000 };

/** Searches without a result, one after the other, after which no signature of that signer is searched for. */
const mostFruitless = 8;

/** Faults of one signer that are tried first, the last one met in front. */
const mostKnown = 32;

interface Signer {
  readonly faults: (readonly Deviation[])[];
  /** Searches since the last one that found something. */
  fruitless: number;
}

export class KnownFaults {
  /** Signatures that were not searched for, since searches of that signer had found nothing so often. */
  unsearched = 0;
  private readonly signers = new Map<string, Signer>();
  private readonly limits: SearchLimits;

  /** @param limits how far a search goes */
  constructor(limits = whole) {
    this.limits = limits;
  }

  /** What gives the signature: nothing wrong, a fault that the signer had before, or what a search finds. */
  faultOf(
    evidence: RequestEvidence,
    secrets: Secrets,
    readings: readonly SignatureReading[],
  ): FoundDeviations | undefined {
    const name = JSON.stringify(['oauth_consumer_key', 'oauth_signature_method'].map(evidence.credential));
    const signer = this.signers.get(name) ?? { faults: [], fruitless: 0 };
    this.signers.set(name, signer);
    const candidates = candidatesFor(evidence, secrets);
    const known = knownFault(signer, candidates, readings);
    if (known !== undefined) return known;
    if (signer.fruitless >= mostFruitless) {
      this.unsearched += 1;
      return undefined;
    }
    // A family is of this request alone, and the signer is to sign others too.
    const rare = () => hostSpellings(evidence.request);
    const all = { deviations: searchedDeviations, dialects, families: () => [], rare };
    const [found] = search(candidates, readings, all, this.limits).found;
    signer.fruitless = found === undefined ? signer.fruitless + 1 : 0;
    if (found !== undefined) signer.faults.unshift(found.deviations);
    signer.faults.length = Math.min(signer.faults.length, mostKnown);
    return found;
  }
}

function knownFault(
  { faults }: Signer,
  candidates: Candidates,
  readings: readonly SignatureReading[],
): FoundDeviations | undefined {
  const trial = trialOf(candidates, readings, whole.work);
  for (const set of [[], ...faults]) {
    trial.attempt(set);
    if (trial.found.length === 0) continue;
    const size = (found: FoundDeviations) => allDeviationsOf(found).length;
    return trial.found.reduce((least, one) => (size(one) < size(least) ? one : least));
  }
  return undefined;
}
