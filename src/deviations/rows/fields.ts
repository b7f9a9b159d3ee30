/** Deviations, made for one request, that sign fields with other names or values than the client sends. */
import type { FormPiece } from '../../protocol/form.ts';
import { encodeForm } from '../../protocol/index.ts';
import { type Deviation, inStage, slug } from '../deviation.ts';
import { fieldNames, type RequestEvidence, totalNames } from '../evidence.ts';
import { nullTexts } from './uri.ts';

const field = inStage('collect', 'collect', {
  summary: 'The client signs different fields than it sends.',
  fix: 'Build the list of fields once, and use it for the signature and for the body.',
});
const list = inStage('collect', 'sort', {
  summary: 'The client signs a list as printed text.',
  fix: 'Sign one pair of name and value for each item.',
});
const body = inStage('collect', 'form-body');

const decimals = (digits: number) => (text: string) => (isNumber(text) ? Number(text).toFixed(digits) : text);
const isNumber = (text: string): boolean => /^-?\d{1,15}(\.\d{1,15})?$/.test(text);
const ifNumber = (change: (text: string) => string) => (text: string) => (isNumber(text) ? change(text) : text);

const withCommas = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

const valueForms: readonly (readonly [id: string, words: string, form: (value: string) => string])[] = [
  ['without-final-zeros', 'as a number, without zeros at its end', ifNumber((text) => String(Number(text)))],
  ['as-whole-number', 'without decimals', ifNumber((text) => text.replace(/\..*/, ''))],
  ['with-one-decimal', 'with one decimal', decimals(1)],
  ['with-two-decimals', 'with two decimals', decimals(2)],
  ['with-three-decimals', 'with three decimals', decimals(3)],
  ['with-four-decimals', 'with four decimals', decimals(4)],
  ['in-minor-units', 'in hundredths', ifNumber((text) => String(Math.round(Number(text) * 100)))],
  ['with-decimal-comma', 'with a comma before the decimals', ifNumber((text) => text.replace('.', ','))],
  ['with-commas', 'with commas between thousands', ifNumber((text) => text.replace(/\d+/, withCommas))],
  ['with-plus', 'with a plus in front', ifNumber((text) => `+${text}`)],
  ['with-minus', 'with a minus in front', ifNumber((text) => `-${text}`)],
  ['trimmed', 'without spaces at its ends', (text) => text.trim()],
  ['in-small-letters', 'in small letters', (text) => text.toLowerCase()],
  ['in-capitals', 'in capitals', (text) => text.toUpperCase()],
  ['in-quotes', 'in quotes', (text) => `"${text}"`],
  ['empty', 'as an empty text', () => ''],
  ['as-zero', 'as 0', () => '0'],
  ['as-zero-with-decimals', 'as 0.00', () => '0.00'],
  ['as-object', 'as the text [object Object]', () => '[object Object]'],
  ['as-array', 'as the text Array', () => 'Array'],
  ...Object.entries(nullTexts).map(([id, word]) => [`as-${id}`, `as the text ${word}`, () => word] as const),
];

/** More fields, or longer names and values, would give too many deviations to try. */
const maxFields = 20;
const maxLength = 200;

function fieldDeviations({ body, query }: RequestEvidence): Deviation[] {
  const fields = new Map([...body, ...query].map(({ name, value }) => [name, value]));
  if (fields.size > maxFields) return [];
  return [...fields].flatMap(([name, value]) => {
    if (/\p{Surrogate}/u.test(name + value) || name.length > maxLength) return [];
    const id = slug(name);
    const quotedName = JSON.stringify(name);
    const forms = value.length > maxLength ? [] : valueForms.filter(([, , form]) => form(value) !== value);
    const signed = forms.map(
      ([formId, words, form]) =>
        field(`${id}-signed-${formId}`, { altered: encodeForm([[name, form(value)]]) })`
        The field ${quotedName} is signed ${words}, but sent unchanged.`,
    );
    const omission = field(`${id}-not-signed`, { omitted: name })`
      The field ${quotedName} is in the request, but not in the base string.`;
    return [omission, ...signed];
  });
}

const absentForms: readonly (readonly [id: string, words: string, value: (name: string) => string])[] = [
  ['empty', 'with an empty value', () => ''],
  ['zero', 'as 0', () => '0'],
  ['zero-with-decimals', 'as 0, sums as 0.00', (name) => (name.endsWith('_sum') ? '0.00' : '0')],
  ...Object.entries(nullTexts).map(([id, word]) => [id, `as the text ${word}`, () => word] as const),
];

function unsentFields({ body, credential }: RequestEvidence): Deviation[] {
  const sent = new Set(body.map(({ name }) => name));
  const totals = sent.has('day_close_request_id') ? totalNames.filter((name) => !sent.has(name)) : [];
  const sets = Array.from({ length: 2 ** totals.length - 1 }, (_, at) =>
    totals.filter((_, bit) => ((at + 1) >> bit) & 1),
  );
  const oauthNames = ['oauth_token', 'oauth_callback', 'oauth_verifier', 'oauth_body_hash', 'oauth_token_secret'];
  const names = [...sets, ...oauthNames.filter((name) => credential(name) === undefined).map((name) => [name])];
  return names.flatMap((set) =>
    absentForms.map(
      ([id, words, value]) =>
        field(`${set.map(slug).join('-')}-signed-as-${id}-and-not-sent`, {
          added: encodeForm(set.map((name) => [name, value(name)])),
        })`
        ${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} signed ${words}, but not sent.`,
    ),
  );
}

const listForms = {
  json: '["1","2"]',
  'json-with-spaces': '["1", "2"]',
  'json-of-numbers': '[1,2]',
  python: "['1', '2']",
  java: '[1, 2]',
  go: '[1 2]',
  'python-tuple': "('1', '2')",
  'set-in-braces': '{1, 2}',
  'text-with-semicolons': '1;2',
  'text-with-bars': '1|2',
  'text-with-spaces': '1 2',
  'text-with-commas-and-spaces': '1, 2',
  'text-without-separators': '12',
  array: 'Array',
  object: '[object Object]',
  'array-in-dotnet': 'System.String[]',
} as const;

const lists = Object.entries(listForms).map(
  ([id, form]) => list(`duplicates-printed-as-${id}`, { duplicates: form })`
  The values of a repeated name are signed as one text, printed as ${form}.`,
);

const singleItemLists = (['json', 'json-of-numbers', 'python'] as const).map(
  (id) =>
    list(`values-printed-as-lists-${id}`, { values: listForms[id] })`
    Each value is signed as a printed list with one item. A list of two items would be ${listForms[id]}.`,
);

const bodyStarts = [
  ['byte-order-mark', '\ufeff', 'a byte-order mark (U+FEFF)'],
  ['question-mark', '?', 'a question mark'],
  ['space', ' ', 'a space'],
  ['line-feed', '\n', 'a line feed'],
  ['crlf', '\r\n', 'CR and LF'],
  ['quote', '"', 'a quote'],
] as const;

const unescaped = body('ampersand-not-escaped-in-body', { pieces: 'joined' })`
  A value is sent with an unescaped "&", so it arrives as two fields.
  The "&" of the signed value is not escaped in the body. Form decoders split the value there.
  Write "&" as %26 in the body, with the encoder that writes forms.`;

export function otherFields(evidence: RequestEvidence): Deviation[] {
  const { body: fields, query } = evidence;
  const startsWith = (text: string) => fields[0]?.name.startsWith(text) === true;
  const countNames = (pieces: readonly FormPiece[]) => new Set(pieces.map(({ name }) => name)).size;
  const isRepeated = countNames(fields) < fields.length || countNames(query) < query.length;
  return [
    ...bodyStarts
      .filter(([, text]) => startsWith(text))
      .map(
        ([id, text, label]) => body(`${id}-before-body`, { start: text })`
        The body begins with ${label}, so its first field has another name.
        The first name is signed without ${label}, and sent with it.
        Send the body without ${label} at its start.`,
      ),
    ...(fields.some(({ name }, at) => at > 0 && !fieldNames.includes(name)) ? [unescaped] : []),
    ...fieldDeviations(evidence),
    ...unsentFields(evidence),
    ...(isRepeated ? lists : []),
    ...singleItemLists,
  ];
}
