/** The head of report.html: the conclusion first, then who was judged, how to repeat it, and the dimensions. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { abortedSentence } from '../report/aborted.ts';
import { signs } from '../report/terminal.ts';
import { visible } from '../report/visible.ts';
import {
  columns,
  countsInWords,
  effectsInWords,
  exitInWords,
  labelsInWords,
  latencyInWords,
  narrowedInWords,
  saidAbove,
  subjectInWords,
  timeInWords,
  worstInWords,
} from '../report/words.ts';
import type { Outcome } from '../result/outcome.ts';
import type { Conclusion, Result } from '../result/result.ts';
import { command, facts, html, type Markup, value } from './markup.ts';

/** The outcome whose sign and colour a conclusion has. */
const likeOutcome: Record<Conclusion, Outcome> = {
  conformant: 'pass',
  partial: 'inconclusive',
  'non-conformant': 'fail',
  aborted: 'error',
};

/** Conclusion, facts of the run and the command that repeats it. */
export function pageHead(result: Result): Markup {
  const { subject, conclusion } = result;
  const like = likeOutcome[conclusion];
  const worst = worstInWords(result);
  const exit = exitInWords(result);
  const [labels, latency, narrowed] = [labelsInWords(result), latencyInWords(result), narrowedInWords(result)];
  return html`<header class=${`head ${like}`}>
    <p class="product">Countersign report</p>
    <h1><span class="sign" aria-hidden="true">${signs[like].sign}</span> ${conclusion}</h1>
    <p class="lead">${visible(subjectInWords(result))}: ${countsInWords(result)}.</p>
    ${conclusion === 'aborted' ? html`<p class="lead">${visible(abortedSentence(result))}</p>` : null}
    ${exit === undefined ? null : html`<p class="note">${exit}.</p>`}
    ${narrowed === undefined ? null : html`<p class="note">${visible(narrowed)}.</p>`}
    ${facts([
      ...(labels === undefined ? [] : [['Labels', value(labels), 'wide'] as const]),
      ['Subject', visible(`${subject.kind} ${subjectInWords(result)}`)],
      ['Target', value(subject.target)],
      ['Profile', visible(result.profile)],
      ['Set', result.set === undefined ? undefined : visible(result.set)],
      ['Baseline', result.baseline === undefined ? undefined : value(result.baseline.file)],
      ['Seed', visible(result.seed)],
      ['Started', html`<time datetime=${result.startedAt}>${visible(result.startedAt.replace('T', ' '))}</time>`],
      ['Duration', timeInWords(result.durationMs)],
      ['Traffic', `${result.exchangeCount} exchanges`],
      ['Suite', visible(`${result.suite.name} ${result.suite.version}`)],
      ['Run', visible(result.runId)],
      ...(latency === undefined ? [] : [['Latency', visible(latency), 'wide'] as const]),
      ...(subject.kind === 'client' ? [] : [['Effects', effectsInWords(result), 'wide'] as const]),
      ...(worst === undefined ? [] : [['At worst', worst, 'wide'] as const]),
    ])}
    ${
      result.notes === undefined
        ? null
        : html`<ul class="note">${result.notes.map((note) => html`<li>${visible(saidAbove(note, result.aborted))}</li>`)}</ul>`
    }
    <p class="reproduce">Reproduce</p>
    ${command(result.reproduce)}
  </header>`;
}

/** How many requirements of each dimension have each outcome. Null where there are none. */
export function dimensionTable(result: Result): Markup {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return null;
  return html`<section id="dimensions" aria-labelledby="dimensions-title">
    <h2 id="dimensions-title">Dimensions</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="dimensions-title"><table class="dimensions">
      <thead><tr><th scope="col">Dimension</th>${columns.map((outcome) => html`<th scope="col">${outcome}</th>`)}</tr></thead>
      <tbody>${used.map((name) => {
        const counts = result.dimensions[name];
        return html`<tr><th scope="row">${name}<span class="bar" aria-hidden="true">${columns
          .filter((outcome) => counts[outcome] > 0)
          .map(
            (outcome) => html`<span class=${outcome} style=${`flex-grow:${counts[outcome]}`}></span>`,
          )}</span></th>${columns.map(
          (outcome) => html`<td class=${counts[outcome] === 0 ? 'none' : outcome}>${counts[outcome]}</td>`,
        )}</tr>`;
      })}</tbody>
    </table></div>
  </section>`;
}
