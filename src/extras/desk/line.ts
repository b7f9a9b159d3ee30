/** What happened at the desk, as one line for the terminal where it was started. */
import { visible } from '../../report/visible.ts';
import { causesAt, failingRows } from './causes.ts';
import type { DeskService } from './desk-service.ts';
import { redactionFor } from './redact.ts';

/** Judging all of a long engagement at each request would slow its client down: so many exchanges, and bytes of their requests. */
const [mostJudged, mostBytes] = [200, 2 * 1024 * 1024] as const;

/** A request with what is wrong with it, or a connection that came to nothing; undefined for what needs no line. */
export function lineOf(desk: DeskService, changed: string | undefined, exchange?: number): string | undefined {
  if (changed === undefined) {
    const [latest] = desk.callers.lost;
    return latest && `${clock(latest.at)}  ! ${visible(latest.why)}`;
  }
  const record = desk.find(changed);
  const kept = record.exchanges.find(({ number }) => number === exchange);
  if (kept === undefined) return undefined;
  const { step = 'outside of the plan', exchange: seen } = kept;
  const said = `${clock(seen.startedAt)}  ${visible(record.engagement.name)}, request ${kept.number}, ${step}, answered ${seen.response?.status}`;
  const bytes = record.exchanges.reduce((sum, one) => sum + one.exchange.request.body.length, 0);
  if (record.exchanges.length > mostJudged || bytes > mostBytes) return `${said}: the page judges it, since much came`;
  const { result, cases } = desk.judge(record);
  const causes = causesAt(failingRows(result, cases), [kept.number]).map(({ sentence }) => sentence);
  const wrong = visible(redactionFor(record.engagement).text(causes.join(' ')));
  return causes.length === 0 ? `${said}: ✓ right` : `${said}: ✗ ${wrong}`;
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
