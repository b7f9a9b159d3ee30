/** One line for each request that the mock decides: what was received, what went out, and why. */
import type { LogEntry } from '../../mock/index.ts';
import { type Ink, painter } from '../../report/terminal.ts';
import { shortened, visible } from '../../report/visible.ts';

const inks: Record<LogEntry['decision'], Ink> = {
  accepted: 'green',
  closing: 'yellow',
  refused: 'red',
  'not-found': 'red',
  unread: 'red',
  fault: 'magenta',
};

const words: Record<LogEntry['decision'], string> = {
  accepted: 'accepted',
  closing: 'accepted, but the gate is closing already (error 99)',
  refused: 'refused',
  'not-found': 'no operation has this path',
  unread: 'not read',
  fault: 'fault of the mock',
};

/** The line, without a line end; `now` in milliseconds since the Unix epoch, shown as UTC. */
export function requestLine(entry: LogEntry, now: number, colour: boolean): string {
  const paint = painter(colour);
  const clock = new Date(now).toISOString().slice(11, 19);
  const request = visible(shortened(`${entry.method} ${entry.target}`, 200));
  const reason = entry.reason === undefined ? '' : `: ${visible(entry.reason)}`;
  return `${paint('dim', clock)}  ${request}  ${entry.status} ${paint(inks[entry.decision], words[entry.decision])}${reason}`;
}
