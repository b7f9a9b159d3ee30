/** What doctor says: one sentence about one thing that was looked at, and what to do where it is not right. */
import { inTwoLines } from '../../record/errors.ts';

/** `problem`: a run would go wrong with it. `unchecked`: not known, so not green. `remark`: no obstacle. */
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

/** Makes a finding of a template: what was found, and on a second line what to do. */
const finding = (status: FindingStatus) => (id: string) =>
  inTwoLines((what, hint): DoctorFinding => ({ id, status, what, ...(hint !== '' && { hint }) }));

export const [ok, problem] = [finding('ok'), finding('problem')];
export const [unchecked, remark] = [finding('unchecked'), finding('remark')];
