/** What doctor says: one sentence about one thing that was looked at, and what to do where it is not right. */

/**
 * `ok`: looked at and right. `problem`: wrong, a run would go wrong with it. `unchecked`: not known, so not green.
 * `remark`: worth a sentence, and no obstacle.
 */
export type FindingStatus = 'ok' | 'problem' | 'unchecked' | 'remark';

export interface DoctorFinding {
  /** Stable, for programs: `tls/expired`. */
  readonly id: string;
  readonly status: FindingStatus;
  /** One sentence without a full stop; never a secret. */
  readonly what: string;
  /** What to do; sentences with full stops. */
  readonly hint?: string;
}

export function ok(id: string, what: string): DoctorFinding {
  return { id, status: 'ok', what };
}

export function problem(id: string, what: string, hint: string): DoctorFinding {
  return { id, status: 'problem', what, hint };
}

export function unchecked(id: string, what: string, hint?: string): DoctorFinding {
  return { id, status: 'unchecked', what, hint };
}

export function remark(id: string, what: string, hint?: string): DoctorFinding {
  return { id, status: 'remark', what, hint };
}
