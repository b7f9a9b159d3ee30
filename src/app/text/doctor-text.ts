/** Doctor's findings on a terminal: what was looked at, what is wrong, what to do. */
import { countedWord } from '../../record/counted-word.ts';
import { field, type Ink, painter } from '../../report/terminal.ts';
import { visible } from '../../report/visible.ts';
import type { DoctorFinding, FindingStatus } from '../../run/target/examination.ts';

const signs: Readonly<Record<FindingStatus, { readonly sign: string; readonly ink: Ink }>> = {
  ok: { sign: '✓', ink: 'green' },
  problem: { sign: '✗', ink: 'red' },
  unchecked: { sign: '?', ink: 'yellow' },
  remark: { sign: '-', ink: 'dim' },
};

/** With a line end at the end; `width` in columns. Each finding has its sign, so that nothing is said by colour alone. */
export function doctorText(
  target: string,
  findings: readonly DoctorFinding[],
  { width, colour }: { readonly width: number; readonly colour: boolean },
): string {
  const paint = painter(colour);
  const lines = findings.flatMap(({ status, what, hint }) => {
    const { sign, ink } = signs[status];
    const layout = { indent: 0, labelWidth: 2, width };
    const [first = '', ...rest] = field(sign, visible(what), layout);
    const told = hint === undefined ? [] : field('', visible(hint), { ...layout, indent: 2 });
    return [`${paint(ink, sign)}${first.slice(sign.length)}`, ...rest, ...told.map((line) => paint('dim', line))];
  });
  return `${paint('bold', visible(target))}\n${lines.map((line) => line.trimEnd()).join('\n')}\n${summary(findings)}\n`;
}

function summary(findings: readonly DoctorFinding[]): string {
  const count = (status: FindingStatus) => findings.filter((finding) => finding.status === status).length;
  const [problems, open] = [count('problem'), count('unchecked')];
  if (problems + open === 0) return 'Everything that was looked at is right.';
  const told = [
    problems === 0 ? 'No problem' : countedWord(problems, 'problem'),
    ...(open === 0 ? [] : [`${open} not checked`]),
    `${count('ok')} right`,
  ];
  return `${told.join(', ')}.`;
}
