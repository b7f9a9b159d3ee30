/** Families of deviations that sign fields with other names or values than the client sends. */
import { encodeForm } from '../../protocol/index.ts';
import { type Deviation, inStep, slug } from '../deviation.ts';
import type { RequestEvidence } from '../evidence.ts';
import { nothings } from './uri.ts';

const field = inStep('collect', 'collect', {
  summary: 'The client signs different fields than it sends.',
  fix: 'Build the list of fields once, and use it for the signature and for the body.',
});
const list = inStep('collect', 'sort', {
  summary: 'The client signs a list as printed text.',
  fix: 'Sign one pair of name and value for each item.',
});

const isNumber = (text: string): boolean => /^-?\d{1,15}(\.\d{1,15})?$/.test(text);
const ofNumber = (change: (text: string) => string) => (text: string) => (isNumber(text) ? change(text) : text);

const valueForms: readonly (readonly [id: string, words: string, form: (value: string) => string])[] = [
  ['without-final-zeros', 'as a number, without zeros at its end', ofNumber((text) => String(Number(text)))],
  ['as-whole-number', 'without decimals', ofNumber((text) => text.replace(/\..*/, ''))],
  ['with-two-decimals', 'with two decimals', ofNumber((text) => Number(text).toFixed(2))],
  ['in-minor-units', 'in hundredths', ofNumber((text) => String(Math.round(Number(text) * 100)))],
  ['with-decimal-comma', 'with a comma before the decimals', ofNumber((text) => text.replace('.', ','))],
  ['trimmed', 'without spaces at its ends', (text) => text.trim()],
  ['in-small-letters', 'in small letters', (text) => text.toLowerCase()],
  ['in-capitals', 'in capitals', (text) => text.toUpperCase()],
  ['empty', 'as an empty text', () => ''],
  ['as-zero', 'as 0', () => '0'],
  ['as-object', 'as the text [object Object]', () => '[object Object]'],
  ['as-array', 'as the text Array', () => 'Array'],
  ...Object.entries(nothings).map(([id, word]) => [`as-${id}`, `as the text ${word}`, () => word] as const),
];

/** Limits: more fields or longer values would give too many deviations to try. */
const [maxFields, maxLength] = [20, 200] as const;

function ofEachField({ body, query }: RequestEvidence): Deviation[] {
  const fields = new Map([...body, ...query].map(({ name, value }) => [name, value]));
  if (fields.size > maxFields) return [];
  return [...fields].flatMap(([name, value]) => {
    if (/\p{Surrogate}/u.test(name + value) || name.length > maxLength) return [];
    const id = slug(name);
    const called = JSON.stringify(name);
    const forms = value.length > maxLength ? [] : valueForms.filter(([, , form]) => form(value) !== value);
    const signed = forms.map(
      ([how, words, form]) =>
        field(`${id}-signed-${how}`, { altered: encodeForm([[name, form(value)]]) })`
        The field ${called} is signed ${words}, but sent unchanged.`,
    );
    const left = field(`${id}-not-signed`, { omitted: name })`
      The field ${called} is in the request, but not in the base string.`;
    return [left, ...signed];
  });
}

const absentAs: readonly (readonly [id: string, words: string, value: (name: string) => string])[] = [
  ['empty', 'with an empty value', () => ''],
  ['zero', 'as 0', () => '0'],
  ['zero-with-decimals', 'as 0, sums as 0.00', (name) => (name.endsWith('_sum') ? '0.00' : '0')],
  ...Object.entries(nothings).map(([id, word]) => [id, `as the text ${word}`, () => word] as const),
];

/** The optional fields of close-day (section 2.1). */
const totalNames = ['sale_approved_count', 'sale_approved_sum', 'reversal_approved_count', 'reversal_approved_sum'];

function notSent({ body, credential }: RequestEvidence): Deviation[] {
  const sent = new Set(body.map(({ name }) => name));
  const totals = sent.has('day_close_request_id') ? totalNames.filter((name) => !sent.has(name)) : [];
  const sets = [...totals.map((name) => [name]), ...(totals.length > 1 ? [totals] : [])];
  const others = ['oauth_token', 'oauth_callback', 'oauth_verifier', 'oauth_body_hash', 'oauth_token_secret'];
  const names = [...sets, ...others.filter((name) => credential(name) === undefined).map((name) => [name])];
  return names.flatMap((set) =>
    absentAs.map(
      ([id, words, value]) =>
        field(`${set.map(slug).join('-')}-signed-as-${id}-and-not-sent`, {
          added: encodeForm(set.map((name) => [name, value(name)])),
        })`
        ${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} signed ${words}, but not sent.`,
    ),
  );
}

const printed = {
  json: '["1","2"]',
  'json-with-spaces': '["1", "2"]',
  'json-of-numbers': '[1,2]',
  python: "['1', '2']",
  java: '[1, 2]',
  go: '[1 2]',
  'text-with-semicolons': '1;2',
  array: 'Array',
  object: '[object Object]',
  'array-in-dotnet': 'System.String[]',
} as const;

const lists = Object.entries(printed).map(
  ([id, form]) => list(`duplicates-printed-as-${id}`, { duplicates: form })`
  The values of a repeated name are signed as one text, printed as ${form}.`,
);

export function otherFields(evidence: RequestEvidence): Deviation[] {
  const isRepeated = [evidence.body, evidence.query].some(
    (pairs) => new Set(pairs.map(({ name }) => name)).size < pairs.length,
  );
  return [...ofEachField(evidence), ...notSent(evidence), ...(isRepeated ? lists : [])];
}
