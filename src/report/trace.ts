/** Prints the exchange of each failure for --trace: request, response, differences to its twin, and a curl command. */
import type { Case } from '../record/case.ts';
import type { Result, ResultRow } from '../record/result/result.ts';
import { causeGroups, exchangeToShow } from './cause-groups.ts';
import { type Block, fact, optional, textOf } from './document.ts';
import { type ExchangeData, exchangeData } from './pages/exchange-data.ts';
import { curlCommand, type PageExchange, requestLines, responseLines } from './pages/exchange-view.ts';
import type { ReportedRun } from './phrases.ts';
import { scoredResult } from './scored-result.ts';
import { shortened } from './visible.ts';

type Line = ReturnType<typeof requestLines>[number];

const maxTraced = 3;
const maxLines = 24;
const maxLineLength = 300;

/** Prints the exchanges of the first failures. `cases` are sorted by number. */
export function traceBlocks(
  result: Result,
  cases: readonly Case[],
  baseStringOf: ReportedRun['baseStringOf'],
): Block[] {
  const failing = causeGroups(scoredResult(result), 'fail').flatMap(({ rows }) => rows);
  if (failing.length === 0) return [];
  const { exchanges } = exchangeData(result, { cases, baseStringOf });
  const isLive = result.subject.kind === 'gateway' && result.subject.target !== 'mock';
  const more = failing.length - maxTraced;
  return [
    ...failing.slice(0, maxTraced).map((row): Block => {
      const blocks = traceOf(row, exchangeToShow(row, result), exchanges, isLive);
      return { card: { outcome: 'fail', title: { strong: row.id }, blocks } };
    }),
    ...textOf(more > 0 ? `… and ${more} more: report.html has the exchanges of all failures` : undefined),
  ];
}

const liveCaution = 'The command may start the payment or close the day again.';
const endedCaution = 'The server of this run has ended: use the address of a running server.';

function traceOf(row: ResultRow, number: number | undefined, exchanges: ExchangeData['exchanges'], isLive: boolean) {
  const exchange = number === undefined ? undefined : exchanges.get(number);
  if (exchange === undefined) return [{ text: 'Nothing was sent, so there is no exchange.' }];
  const twin = exchange.twin === undefined ? undefined : exchanges.get(exchange.twin);
  const lines = requestLines(exchange);
  const curl = curlCommand(exchange);
  return [
    ...fact('Exchange', `${exchange.number}: ${exchange.label}`),
    { label: 'Sent', code: textOfLines(lines, quotedParts(row.actual)) },
    ...(twin === undefined ? [] : differences(lines, twin)),
    { label: 'Answer', code: textOfLines(responseLines(exchange), quotedParts(row.actual)) },
    ...fact('Twin answer', twin && responseLines(twin)[0]!.text),
    ...optional(curl !== undefined && { label: 'Again', command: curl }),
    ...fact('Caution', curl && (isLive ? liveCaution : endedCaution)),
  ];
}

function differences(lines: readonly Line[], twin: PageExchange): Block[] {
  const others = requestLines(twin);
  const keys = [...new Set([...lines, ...others].map(({ key }) => key))];
  const findLine = (all: readonly Line[], key: string) => all.find((line) => line.key === key);
  const changed = keys.flatMap((key): Block[] => {
    const mine = findLine(lines, key);
    const other = findLine(others, key);
    if (mine?.text === other?.text || (mine?.varies && other?.varies)) return [];
    if (mine === undefined) return fact('Only twin', shortened(other!.text, maxLineLength));
    if (other === undefined) return fact('Only sent', shortened(mine.text, maxLineLength));
    return [{ compared: [mine.text, other.text], names: ['sent', 'twin sent'] }];
  });
  const end = changed.length === 0 ? ' at most' : ', and in:';
  return [...fact('Twin', `exchange ${twin.number} differs in values that always change${end}`), ...changed];
}

function quotedParts(text = ''): string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, part]) => part!).sort((a, b) => b.length - a.length);
}

function textOfLines(lines: readonly Line[], markedParts: readonly string[]): string {
  const cut = lines.length > maxLines ? [`… ${lines.length - maxLines} more lines: report.html has them`] : [];
  return lines
    .slice(0, maxLines)
    .flatMap(({ text }) => {
      const part = markedParts.find((one) => text.includes(one));
      if (part === undefined) return [shortened(text, maxLineLength)];
      const from = text.indexOf(part);
      const first = Math.max(0, from - maxLineLength / 2);
      const carets = `${' '.repeat(from - first)}${'^'.repeat(part.length)}`;
      return [shortened(text.slice(first), maxLineLength), carets];
    })
    .concat(cut)
    .join('\n');
}
