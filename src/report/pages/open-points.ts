/** Answers to open points in report.html: what is unusual in sight, and what every other point answers too, folded. */
import { countedWord } from '../../record/counted-word.ts';
import { groupBy } from '../../record/group-by.ts';
import type { Observation } from '../../record/result/result.ts';
import { shortened, visible } from '../visible.ts';
import { exchangeLinks, html, type Markup, section, table, value } from './markup.ts';

interface Seen extends Observation {
  /** What was tried, as `nonce-of-one-character`; empty where the answer stands alone. */
  readonly tried: string;
  readonly answer: string;
}

/** Unusual answers in sight; those with a reason are, up to a bound. */
const [fewInSight, mostInSight] = [6, 20];

/** An answer that so many points give is an ordinary one. */
const ordinary = 5;

/** Null where nothing was observed. */
export function openPoints(
  observations: readonly Observation[],
  questions: (openPoint: string) => string | undefined,
): Markup {
  if (observations.length === 0) return null;
  const seen = observations.map(seenOf);
  const order = seen.map(({ openPoint }) => openPoint);
  const odd = unusual(seen);
  const rest = seen.filter((one) => !odd.includes(one));
  const explained = odd.filter(({ unusual: why }) => why !== undefined).length;
  const inSight = Math.min(Math.max(fewInSight, explained), mostInSight);
  const byPoint = [...groupBy(rest, ({ openPoint }) => openPoint)].sort(
    ([a], [b]) => order.indexOf(a) - order.indexOf(b),
  );
  const said =
    odd.length === 0
      ? 'None is unusual.'
      : 'Unusual ones come first: those with a reason, then two answers to the same question, or one that few others give.';
  return section(
    'observations',
    'Answers to open points',
    observations.length,
    html`<p>Where the interface document is silent, answers are recorded and never judged. ${said}</p>`,
    odd.length === 0 ? null : answers(odd.slice(0, inSight), questions, 'Unusual answers'),
    odd.length <= inSight
      ? null
      : html`<details class="fold more"><summary>${countedWord(odd.length - inSight, 'more unusual answer')}</summary>${answers(odd.slice(inSight), questions, 'More unusual answers')}</details>`,
    rest.length === 0
      ? null
      : html`<details class="fold"><summary>${countedWord(rest.length, 'ordinary answer')}, by open point</summary>
      <div class="sections">${byPoint.map(([point, mine]) => ordinaryOf(point, mine, questions(point) ?? ''))}</div></details>`,
  );
}

function seenOf(observation: Observation): Seen {
  const at = observation.value.lastIndexOf(': ');
  return {
    ...observation,
    tried: at < 0 ? '' : observation.value.slice(0, at),
    answer: at < 0 ? observation.value : observation.value.slice(at + 2),
  };
}

/**
 * Answers that are unusual by themselves come first, then two answers to one question, then those that fewest give. A point whose answers are texts of their own, such as
 * error messages, has no ordinary one: it is a list.
 */
function unusual(seen: readonly Seen[]): Seen[] {
  const times = (key: (one: Seen) => string) => {
    const groups = groupBy(seen, key);
    return (one: Seen) => groups.get(key(one))!.length;
  };
  const ofAnswer = times(({ answer }) => answer);
  const ofPoint = times(({ openPoint }) => openPoint);
  const ofQuestion = times(({ openPoint, tried }) => JSON.stringify([openPoint, tried]));
  const isList = times(({ openPoint, answer }) => `${openPoint} ${ofAnswer({ answer } as Seen) < ordinary}`);
  const inList = (one: Seen) => isList(one) * 2 > ofPoint(one);
  // Where nothing is named that was tried, two answers are worth a look, and twenty are a list.
  const split = (one: Seen) => ofQuestion(one) > 1 && (one.tried !== '' || ofQuestion(one) <= 3);
  const rank = (one: Seen) => (one.unusual === undefined ? Number(split(one)) : 2);
  const rare = (one: Seen) => one.tried !== '' && ofAnswer(one) < ordinary && !inList(one);
  return seen
    .filter((one) => one.unusual !== undefined || split(one) || rare(one))
    .sort((a, b) => rank(b) - rank(a) || (rank(a) === 2 ? 0 : ofAnswer(a) - ofAnswer(b)));
}

function answers(some: readonly Seen[], questions: (openPoint: string) => string | undefined, label: string): Markup {
  const rows = some.map(
    ({ openPoint, tried, answer, exchanges, unusual: why }) => html`<tr>
      <th scope="row">${visible(openPoint)} <span class="question">${visible(questions(openPoint) ?? '')}</span></th>
      <td>${tried === '' ? null : html`<span class="muted">${visible(shortened(tried, 200))}</span> `}${value(shortened(answer, 300))}${why === undefined ? null : html` ${visible(why)}`}</td>
      <td>${exchangeLinks(exchanges) ?? 'none'}</td></tr>`,
  );
  return table(label, ['Open point', 'Answer', 'Exchanges'], rows, 'observations');
}

function ordinaryOf(point: string, mine: readonly Seen[], question: string): Markup {
  return html`<details class="section"><summary><span class="name">${visible(point)}</span> <span class="what">${visible(question)}</span> <span class="count">${mine.length}</span></summary>
    <dl class="facts">${[...groupBy(mine, ({ answer }) => answer)].map(
      ([answer, alike]) =>
        html`<div><dt>${visible(shortened(answer, 100))}</dt><dd>${alike.map(({ tried, exchanges }, index) => [
          index === 0 ? '' : ', ',
          visible(shortened(tried, 200)),
          ' ',
          exchangeLinks(exchanges.slice(0, 1)),
        ])}</dd></div>`,
    )}</dl></details>`;
}
