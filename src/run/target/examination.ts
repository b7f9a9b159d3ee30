/** Findings of doctor: one sentence about one check, and a hint if something is wrong. */
import { inTwoLines } from '../../record/errors.ts';

/** `problem`: a run would fail. `unchecked`: unknown. `remark`: no obstacle. */
export type FindingStatus = 'ok' | 'problem' | 'unchecked' | 'remark';

export interface DoctorFinding {
  /** Stable, for programs, such as `tls/expired`. */
  readonly id: string;
  readonly status: FindingStatus;
  /** One sentence without a full stop. Never contains a secret. */
  readonly what: string;
  /** Sentences with full stops. */
  readonly hint?: string;
}

/** The first line of the template is `what`, the second is `hint`. */
const finding = (status: FindingStatus) => (id: string) =>
  inTwoLines((what, hint): DoctorFinding => ({ id, status, what, ...(hint !== '' && { hint }) }));

export const [ok, problem] = [finding('ok'), finding('problem')];
export const [unchecked, remark] = [finding('unchecked'), finding('remark')];
