/** The outcome of a check for programs that need no more: an in-toto statement with the predicate Simple Verification Result v0.1. Pure. */
import type { Result } from '../../record/result/result.ts';
import type { Sha256 } from './evidence-digest.ts';
import { configurationName, type Statement, statementType } from './statement.ts';

/** What was checked and held, beside signature, expiry and suite. */
export interface Checked {
  /** Whether the evidence was there, unchanged, and judged again with the same outcomes. */
  readonly evidence: boolean;
  /** Whether the file that was tested was there. */
  readonly artifact: boolean;
  /** Whether the challenge was the expected one. */
  readonly challenge: boolean;
}

export interface VerificationResult {
  readonly _type: typeof statementType;
  readonly subject: readonly { readonly name: string; readonly digest: Sha256 }[];
  readonly predicateType: 'https://in-toto.io/attestation/svr/v0.1';
  readonly predicate: {
    readonly verifier: { readonly id: string };
    readonly timeCreated: string;
    readonly properties: readonly string[];
  };
}

/** `at` is in milliseconds since the Unix epoch. A property is named only where it holds; of a failure none is about the verdict. */
export function verificationResult(
  { subject, predicate }: Statement,
  checked: Checked,
  { at, suite }: { readonly at: number; readonly suite: Result['suite'] },
): VerificationResult {
  const { profile, set } = predicate.countersign;
  const held: readonly (readonly [boolean, string])[] = [
    [true, 'COUNTERSIGN_CERTIFICATE_GENUINE'],
    [predicate.result !== 'FAILED', `COUNTERSIGN_CONFORMANT:${configurationName(profile, set)}`],
    [predicate.result !== 'FAILED' && predicate.countersign.exercised === undefined, 'COUNTERSIGN_ALL_EXERCISED'],
    [checked.evidence, 'COUNTERSIGN_EVIDENCE_JUDGED_AGAIN'],
    [checked.artifact, 'COUNTERSIGN_ARTIFACT_MATCHES'],
    [checked.challenge, 'COUNTERSIGN_CHALLENGE_ANSWERED'],
  ];
  return {
    _type: statementType,
    subject,
    predicateType: 'https://in-toto.io/attestation/svr/v0.1',
    predicate: {
      verifier: { id: `urn:countersign:verify:${suite.version}` },
      timeCreated: new Date(at).toISOString(),
      properties: held.filter(([holds]) => holds).map(([, property]) => property),
    },
  };
}
