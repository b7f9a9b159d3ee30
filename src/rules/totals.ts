/** The judge of the rows on a total: section 2.1 has each as a field that may be sent, and the others beside it. */

import { closeDayFieldNames } from '../protocol/close-day.ts';
import { decodeForm } from '../protocol/form.ts';
import type { Case } from '../record/case.ts';
import { classify, describeAnswer } from './answers/acceptance.ts';
import { fail } from './finding.ts';
import type { Judge } from './judge.ts';
import { accepted } from './twins.ts';

/** All fields of 2.1 but the first one, which is the id. */
const totals = closeDayFieldNames.slice(1);

/**
 * Each total is sent alone, and all of them in one request. Where one is not taken alone, that is why all together are not: the
 * others are not to blame.
 */
export const totalAccepted: Judge = (question) => {
  const alone = accepted(question);
  const { cases, twinOf } = question;
  const each = cases.filter(({ label }) => label.about?.startsWith('close-day/accepts-'));
  const taken = new Set(each.filter((one) => classify(one) === 'accepted').map(({ label }) => label.about));
  if (taken.size < totals.length || each.some((one) => classify(one) !== 'accepted')) return alone;
  const refused = cases.filter((one) => {
    const twin = holdsAll(one) && classify(one) === 'refused' ? twinOf(one) : undefined;
    return twin !== undefined && classify(twin) === 'accepted';
  });
  return [
    ...alone,
    ...refused.map((examined) => ({
      examined,
      finding: fail('all totals are accepted together, as each is alone', describeAnswer(examined.exchange)),
    })),
  ];
};

function holdsAll({ label: { operation, intent }, exchange: { request } }: Case): boolean {
  if (operation !== 'close-day' || intent !== 'valid') return false;
  const sent = decodeForm(request.body).map(([name]) => name);
  return totals.every((name) => sent.includes(name));
}
