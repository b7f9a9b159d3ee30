/** The self-test of an adapter on a terminal: one point a line, with what to do where it does not hold. */
import type { CheckedPoint } from '../../peer/adapter-check/index.ts';
import { painter } from '../../report/terminal.ts';
import { visible } from '../../report/visible.ts';

/** With a line end at the end. */
export function checkedPointLine({ name, ok, what, hint }: CheckedPoint, colour: boolean): string {
  const paint = painter(colour);
  const sign = ok ? paint('green', '✓') : paint('red', '✗');
  const lines = [`${sign} ${visible(name)}${ok ? paint('dim', ` - ${visible(what)}`) : ''}`];
  if (!ok) lines.push(`  found  ${visible(what)}`, `  hint   ${visible(hint ?? '')}`);
  return `${lines.join('\n')}\n`;
}

/** The outcome, in one sentence. */
export function checkedSentence(points: readonly CheckedPoint[]): string {
  const wrong = points.filter(({ ok }) => !ok).length;
  return wrong === 0
    ? `countersign: the adapter keeps to the protocol in all ${points.length} points. Nothing was judged.\n`
    : `countersign: ${wrong} of ${points.length} points ${wrong === 1 ? 'does' : 'do'} not hold. Mend the adapter before you judge the client.\n`;
}
