/** What it says when no request arrived: each case answers one row only, so that one refusal is never counted twice. */
import { operations } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientCase } from '../../record/client-case.ts';
import { type Finding, fail, inconclusive, noReply, pass } from '../finding.ts';
import { bodyRows } from './body-rows.ts';
import type { ClientVerdict } from './client-judge.ts';

/** Verdicts on the row from cases without any request. */
export function unsentFindings(id: RequirementId, cases: readonly ClientCase[]): ClientVerdict[] {
  return cases.flatMap((examined) => {
    if (examined.wire.length > 0) return [];
    const { about, finding } = treatment(examined);
    return finding === null || about !== id ? [] : [{ examined, finding }];
  });
}

function treatment({ label, reply, adapterFault, asked, incomplete }: ClientCase): {
  readonly about: RequirementId;
  readonly finding: Finding | null;
} {
  const arrival = label.about ?? `${operations[label.operation].area}/path`;
  const about = label.about ?? bodyRows[label.operation].input;
  if (adapterFault !== undefined) {
    return { about: arrival, finding: noReply(adapterFault) };
  }
  const reason = reply?.reason === undefined ? '' : `: ${reply.reason}`;
  const lost = incomplete === undefined ? 'no request arrived' : `of what arrived the record lacks ${incomplete}`;
  switch (reply?.outcome) {
    case undefined:
      return { about: arrival, finding: label.input === 'observed' ? null : inconclusive(lost) };
    case 'refused_locally':
      return { about, finding: refused(label.input, reason, asked?.input) };
    case 'unsupported':
      return { about, finding: unsupported(label.input, reason) };
    case 'adapter_error':
      return { about: arrival, finding: inconclusive(`the adapter failed${reason}`, 'subject') };
    case 'transport_error':
      return {
        about: arrival,
        finding:
          incomplete === undefined
            ? inconclusive(`no request arrived: the client could not connect${reason}`)
            : inconclusive(lost, 'subject'),
      };
    case 'completed':
      return {
        about: arrival,
        finding: inconclusive(`the client reports an answer, and ${lost}`, 'subject'),
      };
  }
}

function refused(input: ClientCase['label']['input'], reason: string, given: unknown): Finding | null {
  if (input === 'forbidden') return pass();
  if (input === 'mandatory') return fail(`a request with ${shown(given)}`, `the client refused the input${reason}`);
  return input === 'hardening' ? declined(`the client declines an unusual input${reason}`) : null;
}

function unsupported(input: ClientCase['label']['input'], reason: string): Finding | null {
  if (input === 'mandatory') return inconclusive(`the client does not support the input${reason}`, 'configuration');
  return input === 'hardening' || input === 'forbidden'
    ? declined(`the client cannot be given the input${reason}`)
    : null;
}

/** Which input it was, in as many characters as fit in a line of a report. */
function shown(given: unknown): string {
  const text = JSON.stringify(given) ?? 'the input';
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function declined(remark: string): Finding {
  return { outcome: 'not-applicable', remark };
}
