/** Judges whether a client reads JSON under text/html (section 4.1): the same bodies were sent under application/json too. */
import type { ClientCase, Decoded } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import type { ClientJudge } from '../client-judge.ts';
import { findingOf, questionsFor, readsJsonTypeAlone } from './forms.ts';
import { readingOf } from './success.ts';

/** Fails only a client that reads application/json and nothing under text/html: any other trouble is another row's. */
export const readsTextHtml: ClientJudge = ({ id, cases }) => {
  const deaf = readsJsonTypeAlone(cases);
  return questionsFor(id, cases).flatMap((asked) => {
    const underHtml = asked.filter(({ label }) => label.decoding!.form !== 'json');
    const findings = underHtml.flatMap((examined) => {
      const finding = findingOf(examined, (decoded) => ofReading(decoded, examined, deaf));
      return finding === undefined ? [] : [{ examined, finding }];
    });
    const passed = findings.find(({ finding }) => finding.outcome === 'pass');
    return [passed ?? findings[0]].filter((verdict) => verdict !== undefined);
  });
};

function ofReading(decoded: Decoded, { label }: ClientCase, deaf: boolean): Finding | undefined {
  if (deaf) return fail('the answer, as under application/json', readingOf(decoded));
  return decoded.kind === label.decoding!.expected.kind ? pass() : undefined;
}
