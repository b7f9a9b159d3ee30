/** Writes an autopsy as a document, for the command and for the page. */
import { pluralize } from '../record/pluralize.ts';
import { type Block, type Card, type Conclusion, fact, type Section } from '../report/document.ts';
import type { Autopsy } from './autopsy.ts';
import { type Fact, type Malformation, skippedLineEnd } from './facts.ts';
import { type Language, languageNames } from './index.ts';

/** The document about one request. For a wrong signature without explanation, it also names the `triedKeys`. */
export function autopsyDocument(autopsy: Autopsy, language: Language | undefined, triedKeys?: string): Conclusion {
  const { signature, deviations, malformations, alternatives = [], dialects = [] } = autopsy;
  const { outcome, verdict, head } = verdictOf(autopsy);
  const facts = autopsy.facts.filter(({ id }) => !isUnsigned(autopsy) || id !== 'missing-header');
  const same = 'For this request, these deviations give the same signature (see countersign explain ID):';
  const malformed = section('What is malformed', malformations.map(malformationCard));
  const others = [
    section('What the client does', [
      ...deviations.map((one) => deviationCard([one], language)),
      ...(alternatives.length === 0 ? [] : [text(same), { list: alternatives.map((ids) => `- ${ids.join(' + ')}`) }]),
      ...(dialects.length === 0
        ? []
        : [text(`These libraries sign this way: ${dialects.map(({ library }) => library).join('; ')}.`)]),
    ]),
    section('What the request shows', listOf(facts)),
    section('Base string', baseStringBlocks(autopsy)),
    section('What was tried', signature !== 'wrong' || deviations.length > 0 ? [] : triedBlocks(autopsy, triedKeys)),
  ];
  // Show a wrong form of the body first: the client must correct it before it can sign the fields.
  const sections = bodyFault(autopsy) === undefined ? others.toSpliced(1, 0, malformed) : [malformed, ...others];
  return { outcome, verdict, head, sections: sections.filter(({ blocks }) => blocks.length > 0) };
}

interface AutopsySummary {
  readonly signatures: number;
  /** The causes of wrong signatures, each with the numbers of its HAR entries. The first number is the example. */
  readonly causes: readonly (Required<Pick<Autopsy, 'deviations' | 'alternatives'>> & {
    readonly entries: readonly number[];
  })[];
  readonly unexplained: readonly number[];
  readonly facts: readonly Fact[];
  /** Broken rules on the form of requests. Requests in `causes` are not listed here again. */
  readonly malformed: readonly (Malformation & { readonly entries: readonly number[] })[];
  /** For each entry that cannot be verified, the parts of the request that the record lacks. */
  readonly undecided?: readonly string[];
}

/** The document about many requests, grouped by cause. Only the first cause has code that fixes it. */
export function autopsiesDocument(
  { signatures, causes, unexplained, facts, malformed, undecided = [] }: AutopsySummary,
  language: Language | undefined,
): Conclusion {
  if (signatures === 0) return inconclusive(`any of ${undecided.length} signatures is right`, undecided[0]!);
  const explained = causes.reduce((sum, { entries }) => sum + entries.length, 0);
  const wrong = explained + unexplained.length;
  const of = `of ${pluralize(wrong, 'wrong signature')}`;
  const entriesText = (entries: readonly number[]): string => {
    const first = [...entries].sort((a, b) => a - b).slice(0, 8);
    return `${entries.length === 1 ? 'entry' : 'entries'} ${first.join(', ')}${first.length < entries.length ? ', …' : ''}`;
  };
  const cards = causes.map(({ deviations, alternatives, entries }, at): Block => {
    const { card } = deviationCard(deviations, at === 0 ? language : undefined);
    const example = entries.length === 1 ? '' : `; see --entry ${entries[0]}`;
    const title = `${deviations.map(({ id }) => id).join(' + ')}: ${entries.length} ${of}, ${entriesText(entries)}${example}`;
    const others = alternatives.flatMap((ids) => fact('Or', ids.join(' + ')));
    return { card: { ...card, title, blocks: [...card.blocks, ...others] } };
  });
  const faults = malformed.map(({ entries, ...fault }): Block => {
    const title = `${fault.id}: ${pluralize(entries.length, 'malformed request')}, ${entriesText(entries)}`;
    return { card: { ...malformationCard(fault).card, title } };
  });
  const fixNote = `After ${causes.length === 1 ? 'this fix' : 'these fixes'}, ${explained} ${of} would be right.`;
  const restNote = `No deviation explains ${unexplained.length} ${of}, ${entriesText(unexplained)}. To examine one, add --entry N.`;
  const rightVerdict = `✓ All ${signatures} signatures are right${malformed.length === 0 ? '.' : ', but requests are malformed'}`;
  return {
    outcome: wrong + malformed.length === 0 ? 'pass' : 'fail',
    verdict: wrong === 0 ? rightVerdict : `✗ ${wrong} of ${signatures} signatures are not right`,
    head: [],
    sections: [
      section('What the client does', causes.length === 0 ? [] : [...cards, text(fixNote)]),
      section('What is malformed', faults),
      section('What nothing explains', unexplained.length === 0 ? [] : [text(restNote), ...listOf(facts)]),
    ].filter(({ blocks }) => blocks.length > 0),
  };
}

function verdictOf(autopsy: Autopsy): Pick<Conclusion, 'outcome' | 'verdict' | 'head'> {
  const { verified, signature, lacking, deviations, malformations, operation, signatureMethod } = autopsy;
  const what = [operation === 'other' ? '' : operation, signatureMethod].filter((part) => part !== '').join(', ');
  const context = what === '' ? '' : ` (${what})`;
  const without = autopsy.facts.includes(skippedLineEnd) ? ' without the last line end of the file' : '';
  const fail = (verdict: string, ...more: string[]) => {
    return { outcome: 'fail', verdict: `✗ ${verdict}`, head: more.map(text) } as const;
  };
  if (verified) return { outcome: 'pass', verdict: `✓ The signature is right${without}${context}.`, head: [] };
  const broken = malformations.map(({ id }) => id).join(', ');
  const breaks = `${context}; it breaks ${broken}`;
  if (signature === 'right') return fail(`The signature is right${without}, but the request is malformed${breaks}`);
  if (lacking !== undefined) return inconclusive(`the signature is right${context}`, lacking);
  if (isUnsigned(autopsy)) {
    return fail(`There is no signature to examine: the request has no Authorization header${breaks}`);
  }
  const others = autopsy.alternatives?.length ?? 0;
  const more = others === 0 ? '' : ` (or ${others === 1 ? 'another' : `${others} others`}, below)`;
  const names = deviations.length === 0 ? '' : `: ${deviations.map(({ id }) => id).join(' + ')}${more}`;
  const body = bodyFault(autopsy);
  if (body !== undefined) {
    return fail(`The body is not a form of the operation: ${body}${breaks}`, `The signature is wrong too${names}`);
  }
  const malformedNote = broken === '' ? [] : [`The request is malformed too; it breaks ${broken}`];
  return fail(`The signature is not right${context}${names === '' ? '.' : names}`, ...malformedNote);
}

function inconclusive(what: string, missing: string): Conclusion {
  return {
    outcome: 'inconclusive',
    verdict: `? The record cannot show whether ${what}: it lacks ${missing}.`,
    head: [text('Record it again, with all headers and the whole body.')],
  };
}

function bodyFault({ malformations: [first] }: Autopsy): string | undefined {
  return first !== undefined && /\/(?:body-is-form|payload-only)$/.test(first.id) ? first.actual : undefined;
}

function isUnsigned({ signatureMethod, facts }: Autopsy): boolean {
  return signatureMethod === '' && facts.some(({ id }) => id === 'missing-header');
}

function deviationCard(deviations: Autopsy['deviations'], language: Language | undefined): { readonly card: Card } {
  const blocks = deviations.flatMap(({ summary, developer, fix, snippet }): Block[] => [
    ...fact('What', summary),
    ...fact('Developer', developer),
    ...fact('Fix', fix),
    ...(snippet === undefined || language === undefined ? [] : [{ label: languageNames[language], code: snippet }]),
  ]);
  return { card: { outcome: 'fail', title: deviations.map(({ id }) => id).join(' + '), blocks } };
}

function malformationCard({ id, statement, expected, actual, fix }: Malformation): { readonly card: Card } {
  const blocks = [
    ...fact('Rule', statement),
    ...fact('Expected', { value: expected }),
    ...fact('Found', { value: actual }),
    ...fact('Fix', fix),
  ];
  return { card: { outcome: 'fail', title: id, blocks } };
}

const baseStringLimit = 4_000;

function baseStringBlocks(autopsy: Autopsy): Block[] {
  const { signature, baseString, signedBaseString, deviations } = autopsy;
  if (isUnsigned(autopsy) || baseString === '') return [];
  if (signedBaseString !== undefined) {
    return [{ compared: [baseString, signedBaseString], names: ['expected', 'actual'], isLong: true }];
  }
  if (signature !== 'wrong') return [];
  const isCut = baseString.length > baseStringLimit;
  const excerpt = isCut ? `${baseString.slice(0, baseStringLimit)}…` : baseString;
  const note =
    deviations.length === 0 ? [] : [text('The base string is right. The mistake is in the key or in a later step.')];
  return [...note, { label: 'Expected', code: excerpt }];
}

function triedBlocks({ triedCount, completeDepth }: Autopsy, keys: string | undefined): Block[] {
  if (triedCount === 0) return [];
  const depths = ['', ', alone', ', alone and in pairs', ', alone, in pairs and in threes'];
  const depth = depths[completeDepth] ?? ', in sets of up to four';
  return [
    text(
      `${triedCount.toLocaleString('en-US')} ways to sign were tried${depth}, and none gives this signature. So the cause is unknown. ` +
        'The client may use another secret or key, or a proxy may have changed the body or URL (see --base-url). ' +
        'Or the client makes a mistake that the suite does not know.',
    ),
    ...(keys === undefined ? [] : [text(keys)]),
  ];
}

function section(title: string, blocks: readonly Block[]): Section {
  return { anchor: title.toLowerCase().replaceAll(' ', '-'), title, blocks };
}

function text(value: string): Block {
  return { text: value };
}

function listOf(facts: readonly Fact[]): Block[] {
  return facts.length === 0 ? [] : [{ list: facts.map((one) => `- ${one.text}`) }];
}
