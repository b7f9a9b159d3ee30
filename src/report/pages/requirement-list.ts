/** All requirements in report.html by section of the interface document, what each is known to catch, and what the run does not rule out. */
import { countedWord } from '../../record/counted-word.ts';
import type { Result, ResultRow, Unnoticed } from '../../record/result/result.ts';
import { countOf, neverArose } from '../counting.ts';
import { visible } from '../visible.ts';
import { allowancesInWords, blames, columns, groupInWords, type Statements, unnoticedInWords } from '../words.ts';
import { rowFacts } from './findings.ts';
import { badge, command, facts, html, type Markup, rowAnchor, section, value } from './markup.ts';

/** Every section closed, with its counts; so is every requirement in it. */
export function requirementSections(result: Result, statements: Statements): Markup {
  const sections = [...new Set(result.results.map((row) => row.section))].sort(bySection);
  const parts = sections.map((name) => {
    const rows = result.results.filter((row) => row.section === name);
    return html`<details class="section">
      <summary><span class="name">Section ${visible(name)}</span> <span class="tallies">${tallies(rows)}</span></summary>
      ${rows.map((row) => requirement(row, statements))}
    </details>`;
  });
  return section(
    'requirements',
    'Requirements',
    result.results.length,
    html`<div class="sections">${parts}</div>`,
    killGrid(result.results),
  );
}

function tallies(rows: readonly ResultRow[]): Markup[] {
  return columns
    .map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => html`<span class=${`badge ${outcome}`}>${count} ${outcome}</span>`);
}

function requirement(row: ResultRow, statements: Statements): Markup {
  const text = statements(row.id);
  const proven = row.provenBy.flatMap((id, index) => [index === 0 ? '' : ', ', value(id)]);
  return html`<details class="row">
    <summary>${badge(row.outcome)}<span class="name">${visible(row.id)}</span>${
      text === undefined ? null : html`<span class="what">${visible(text.statement)}</span>`
    }${row.remark === undefined ? null : html`<span class="badge">remark</span>`}</summary>
    <div class="inside" id=${rowAnchor(row.id)}>
      ${facts([
        ['Kind', `${row.kind}, ${row.dimension}, ${row.operation === 'both' ? 'both operations' : row.operation}`],
        ['Basis', visible(row.basis)],
        ['Blame', row.blame === undefined ? undefined : blames[row.blame]],
      ])}
      ${rowFacts(row, text)}
      ${facts([['Known to catch', proven.length === 0 ? undefined : html`<span>${proven}</span>`]])}
    </div>
  </details>`;
}

const square = 6;

/** Which known defect each requirement would catch: a line for each requirement, a column for each defect. Null where none is known. */
function killGrid(results: readonly ResultRow[]): Markup {
  const rows = results.filter(({ provenBy }) => provenBy.length > 0);
  const defects = [...new Set(rows.flatMap(({ provenBy }) => provenBy))];
  if (defects.length < 2) return null;
  const column = new Map(defects.map((id, index) => [id, index]));
  const [width, height] = [defects.length * square, rows.length * square];
  const path = (row: ResultRow, at: number) =>
    row.provenBy.map((id) => `M${column.get(id)! * square} ${at * square}h5v5h-5z`).join('');
  return html`<details class="fold"><summary>What these requirements are known to catch: ${countedWord(defects.length, 'defect')}</summary>
    <p class="muted">A line is a requirement, in the order above; a column is a deliberate defect; a square means that the requirement failed where the defect was built in. The colour is the outcome of this run.</p>
    <div class="scroll grid-picture" tabindex="0" role="region" aria-label="Requirements and defects"><svg role="img" aria-label=${`${rows.length} requirements catch ${defects.length} defects; each requirement names its own`} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>${rows.map(
      (row, at) =>
        html`<path class=${row.outcome} d=${path(row, at)}><title>${visible(row.id)}: ${row.provenBy.length}</title></path>`,
    )}</svg></div>
  </details>`;
}

/** `2.2` before `2.10`, and `4` before `4.1`. */
function bySection(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** The required rows that never arose, folded by what would make them arise. Null where there are none. */
export function neverAroseSection(result: Result): Markup {
  const groups = neverArose(result);
  if (groups.length === 0) return null;
  return section(
    'never-arose',
    'Required, but never arose',
    countOf(groups),
    html`<p>Nothing in this run could show these requirements: the conclusion does not speak of them. With --require they are inconclusive instead.</p>`,
    groups.map(({ ids, sentence }) => folded(`${ids.length}: ${sentence}`, ids)),
  );
}

function folded(title: string, ids: readonly string[]): Markup {
  return html`<details>
    <summary>${visible(title)}</summary>
    <ul>${ids.map((id) => html`<li>${visible(id)}</li>`)}</ul>
  </details>`;
}

/** The ids are folded, by group. */
export function unnoticedDefects(unnoticed: Unnoticed): Markup {
  const { count, groups, notKnown } = unnoticed;
  return section(
    'unnoticed',
    'Not ruled out',
    count,
    html`<p>${unnoticedInWords(unnoticed)}. A ${unnoticed.side ?? 'gateway'} with one of them and no other fault would not be called non-conformant.</p>`,
    allowancesInWords(unnoticed).flatMap(({ flags, brings }) => [
      html`<p>A run with this ${brings}:</p>`,
      command(flags),
    ]),
    groups.map((group) => folded(groupInWords(group), group.defects)),
    notKnown.length === 0 ? null : folded(`not known: ${notKnown.length}`, notKnown),
  );
}
