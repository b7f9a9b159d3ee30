/** An autopsy in words: as a page on a terminal, and as one line for a log. */
import {
  type Autopsy,
  type AutopsyKeys,
  autopsy,
  type Fact,
  isTooLong,
  type Language,
  languageNames,
  lineEndLeftOut,
  type Malformation,
  readEvidence,
} from '../../autopsy/index.ts';
import { countedWord } from '../../record/counted-word.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { comparison } from '../../report/comparison.ts';
import { field, painter, wrap } from '../../report/terminal.ts';
import { visible } from '../../report/visible.ts';

interface Page {
  readonly width: number | undefined;
  readonly colour: boolean;
}

const labelWidth = 11;

/** `tried`: whose keys were tried, in a sentence for a signature that nothing explains. */
export function autopsyText(autopsy: Autopsy, language: Language | undefined, page: Page, tried?: string): string {
  const width = Math.min(page.width ?? 100, 120);
  const malformed = autopsy.malformations.map((malformation) => aboutMalformation(malformation, width, page));
  // Without a form there are no fields to sign: that comes first.
  const bodies = bodyFault(autopsy) === undefined ? 0 : 1;
  const blocks = [
    [verdict(autopsy, page)],
    ...malformed.slice(0, bodies),
    ...autopsy.deviations.map((deviation) => aboutDeviation(deviation, language, width, page)),
    otherNames(autopsy, width),
    ...malformed.slice(bodies),
    aboutFacts(autopsy, width),
    aboutBaseStrings(autopsy, width, page),
    autopsy.signature !== 'wrong' || autopsy.deviations.length > 0 ? [] : nothingFound(autopsy, width, tried),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** What `autopsy` found in the signed entries of a HAR file. */
interface ManyFound {
  readonly signatures: number;
  /** Numbers of entries are those of the plainest request first. */
  readonly causes: readonly (Required<Pick<Autopsy, 'deviations' | 'alternatives'>> & {
    readonly entries: readonly number[];
  })[];
  readonly unexplained: readonly number[];
  /** What the first of them shows by itself. */
  readonly facts: readonly Fact[];
  /** Faults of requests whose signature is right or unexplained. */
  readonly malformed: readonly (Malformation & { readonly entries: readonly number[] })[];
  /** What each of the entries lacks that cannot be examined. */
  readonly undecided?: readonly string[];
}

/** The wrong signatures of many requests by what is behind them. Code is shown for the largest group alone. */
export function manyText(
  { signatures, causes, unexplained, facts, malformed, undecided = [] }: ManyFound,
  language: Language | undefined,
  page: Page,
): string {
  const width = Math.min(page.width ?? 100, 120);
  const paint = painter(page.colour);
  const explained = causes.reduce((sum, { entries }) => sum + entries.length, 0);
  const wrong = explained + unexplained.length;
  if (signatures === 0) return `${notKnown(`any of ${undecided.length} signatures`, undecided[0]!, '', page)}\n`;
  const shown = (entries: readonly number[]): string => {
    const first = [...entries].sort((a, b) => a - b).slice(0, 8);
    return `${entries.length === 1 ? 'entry' : 'entries'} ${first.join(', ')}${first.length < entries.length ? ', …' : ''}`;
  };
  const blocks = causes.map(({ deviations, alternatives, entries }, at) => [
    `${paint('bold', deviations.map(({ id }) => id).join(' + '))}: ${entries.length} of ${countedWord(wrong, 'wrong signature')}, ${shown(entries)}${entries.length === 1 ? '' : `; the simplest is entry ${entries[0]}`}`,
    ...deviations.flatMap((one) =>
      aboutDeviation(one, at === 0 ? language : undefined, width, page).slice(deviations.length > 1 ? 0 : 1),
    ),
    ...alternatives.flatMap((ids) => field('or', ids.join(' + '), { indent: 2, labelWidth, width })),
  ]);
  const rest = `Nothing explains ${unexplained.length} of ${countedWord(wrong, 'wrong signature')}, ${shown(unexplained)}. --entry N examines one of them.`;
  const after = `With ${causes.length === 1 ? 'this' : 'these'} fixed, ${explained} of ${countedWord(wrong, 'wrong signature')} would be right.`;
  const faults = malformed.map(({ entries, ...fault }) => {
    const [id, ...about] = aboutMalformation(fault, width, page);
    return [`${id}: ${countedWord(entries.length, 'malformed request')}, ${shown(entries)}`, ...about];
  });
  const isRight = paint('green', `✓ All ${signatures} signatures are right`);
  const first = malformed.length === 0 ? `${isRight}.` : `${isRight}, ${paint('red', 'but requests are malformed')}`;
  return `${[
    [wrong === 0 ? first : paint('red', `✗ ${wrong} of ${signatures} signatures are not right`)],
    ...blocks,
    causes.length === 0 ? [] : [after],
    ...faults,
    unexplained.length === 0 ? [] : [...wrap(rest, width), ...factLines(facts, width)],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function verdict(autopsy: Autopsy, { colour }: Page): string {
  const { verified, signature, lacking, deviations, malformations, operation, signatureMethod } = autopsy;
  const paint = painter(colour);
  const what = [operation === 'other' ? '' : operation, visible(signatureMethod)]
    .filter((part) => part !== '')
    .join(', ');
  const about = what === '' ? '' : ` (${what})`;
  const without = autopsy.facts.includes(lineEndLeftOut) ? ' without the last line end of the file' : '';
  if (verified) return `${paint('green', `✓ The signature is right${without}`)}${about}.`;
  const broken = malformations.map(({ id }) => id).join(', ');
  if (signature === 'right') {
    return `${paint('red', `✗ The signature is right${without}, but the request is malformed`)}${about}; it breaks ${paint('bold', broken)}`;
  }
  if (lacking !== undefined) return notKnown('the signature', lacking, about, { colour });
  if (isUnsigned(autopsy)) {
    const lacks = `the request has no Authorization header${about}; it breaks ${paint('bold', broken)}`;
    return `${paint('red', '✗ There is no signature to examine')}: ${lacks}`;
  }
  const others = autopsy.alternatives?.length ?? 0;
  const more = others === 0 ? '' : ` (or ${others === 1 ? 'another' : `${others} others`}, below)`;
  const names = deviations.map(({ id }) => id).join(' + ');
  const body = bodyFault(autopsy);
  if (body !== undefined) {
    const found = `✗ The body is no form of the operation: ${visible(body)}`;
    const signature =
      names === '' ? 'The signature is not right either' : `The signature is not right either: ${names}${more}`;
    return `${paint('red', found)}${about}; it breaks ${paint('bold', broken)}\n  ${signature}`;
  }
  const also = broken === '' ? [] : [`  The request is malformed too; it breaks ${paint('bold', broken)}`];
  return [
    `${paint('red', '✗ The signature is not right')}${about}${names === '' ? '.' : `: ${paint('bold', names)}${more}`}`,
    ...also,
  ].join('\n');
}

function notKnown(what: string, lacking: string, about: string, { colour }: Pick<Page, 'colour'>): string {
  const found = painter(colour)('yellow', `? The record cannot show whether ${what} is right`);
  return `${found}${about}: it lacks ${lacking}.\n  Record it again, with all headers and the whole body.`;
}

/** What the body is in place of a form, which is said before anything on the signature. */
function bodyFault({ malformations: [first] }: Autopsy): string | undefined {
  return first !== undefined && /\/(?:body-is-form|payload-only)$/.test(first.id) ? first.actual : undefined;
}

function isUnsigned({ signatureMethod, facts }: Autopsy): boolean {
  return signatureMethod === '' && facts.some(({ id }) => id === 'missing-header');
}

function aboutDeviation(
  { id, summary, developer, fix, snippet }: Autopsy['deviations'][number],
  language: Language | undefined,
  width: number,
  { colour }: Page,
): string[] {
  const layout = { indent: 2, labelWidth, width };
  const code = snippet === undefined || language === undefined ? [] : snippet.split('\n');
  return [
    painter(colour)('bold', id),
    ...field('what', summary, layout),
    ...field('developer', visible(developer), layout),
    ...field('fix', fix, layout),
    ...code.map((line, index) => `  ${(index === 0 ? languageNames[language!] : '').padEnd(labelWidth)}${line}`),
  ];
}

function aboutMalformation(
  { id, statement, expected, actual, fix }: Autopsy['malformations'][number],
  width: number,
  { colour }: Page,
): string[] {
  const layout = { indent: 2, labelWidth, width };
  return [
    painter(colour)('bold', id),
    ...field('rule', statement, layout),
    ...field('expected', visible(expected), layout),
    ...field('found', visible(actual), layout),
    ...field('fix', fix, layout),
  ];
}

function otherNames({ alternatives = [], dialects = [] }: Autopsy, width: number): string[] {
  const libraries = dialects.map(({ library }) => library).join('; ');
  return [
    ...(alternatives.length === 0
      ? []
      : ['On this request these give the same bytes, too (countersign explain ID says more):']),
    ...alternatives.flatMap((ids) => field('-', ids.join(' + '), { indent: 2, labelWidth: 2, width })),
    ...(libraries === '' ? [] : wrap(`This is how it comes out of: ${libraries}.`, width)),
  ];
}

function aboutFacts(autopsy: Autopsy, width: number): string[] {
  // The first line has said it.
  const facts = autopsy.facts.filter(({ id }) => !isUnsigned(autopsy) || id !== 'missing-header');
  return factLines(facts, width);
}

function factLines(facts: readonly Fact[], width: number): string[] {
  return facts.flatMap(({ text }) => field('-', visible(text), { indent: 0, labelWidth: 2, width }));
}

function aboutBaseStrings(autopsy: Autopsy, width: number, page: Page): string[] {
  const { signature, baseString, signedBaseString, deviations } = autopsy;
  if (isUnsigned(autopsy)) return [];
  if (signedBaseString === undefined) {
    const same = deviations.length > 0 ? ['The base string is right; what was made of it is not.'] : [];
    // Of megabytes only the beginning is of use on a screen; --json has all.
    const shown = visible(baseString.length > 4000 ? `${baseString.slice(0, 4000)}…` : baseString);
    return signature !== 'wrong' ? [] : [...same, ...field('expected', shown, { indent: 0, labelWidth, width })];
  }
  const lines = comparison(baseString, signedBaseString, width - labelWidth);
  if (lines === undefined) return [];
  const [expected, actual, caret] = lines;
  return [
    'Base string:',
    `${'expected'.padEnd(labelWidth)}${expected}`,
    `${'actual'.padEnd(labelWidth)}${actual}`,
    `${' '.repeat(labelWidth)}${painter(page.colour)('yellow', caret)}`,
  ];
}

function nothingFound({ triedCount, completeDepth }: Autopsy, width: number, keys: string | undefined): string[] {
  if (triedCount === 0) return [];
  const depths = ['', ', alone', ', alone and in pairs', ', alone, in pairs and in threes'];
  const tried = `${triedCount.toLocaleString('en-US')} ways to sign were computed${depths[completeDepth] ?? ', in sets of up to four'}; none gives this signature.`;
  const rest =
    'So no cause is named. What cannot be seen from here: another secret or key, a body or URL that was altered on the way ' +
    '(see --base-url), or a mistake that has no name yet.';
  return [...wrap(`${tried} ${rest}`, width), ...(keys === undefined ? [] : wrap(keys, width))];
}

/** Whoever waits for an answer must not wait for a deep search: the autopsy command searches deeper. */
const quickSearch = { depth: 2, deep: 0, work: 40_000_000 };

/** What was found, with what to do; or else what the request shows by itself. Undefined if there is neither. */
export function explainSignature(request: SentRequest, keys: AutopsyKeys): string | undefined {
  // Nothing but the right signature is computed of it, which says nothing of a mistake.
  if (isTooLong(readEvidence(request))) return undefined;
  const { deviations, alternatives = [], facts, signature } = autopsy(request, keys, { limits: quickSearch });
  if (deviations.length === 0) {
    return signature === 'right' || facts.length === 0 ? undefined : facts.map(({ text }) => text).join(' ');
  }
  const alike = alternatives.map((ids) => ids.join(' + ')).join('; ');
  const others = alike === '' ? [] : [`These give the same bytes: ${alike}.`];
  return [...deviations.map(({ id, summary, fix }) => `${summary} (${id}) ${fix}`), ...others].join(' ');
}
