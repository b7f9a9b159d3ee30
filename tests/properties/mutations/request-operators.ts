/** Mutations of requests: the header's parameters, the fields of the form and its bytes; with those of a batch (sections 2.1, 4 and 5). */

import type { Dice } from '../../dice.ts';
import { batchOperators } from './batch-operators.ts';
import { type Operator, spoiltText } from './operator.ts';
import { type MutableRequest, type Pair, requestTime } from './requests.ts';

/** By name; a map, since a mutated name may be one that every object has. */
const telling = new Map<string, readonly string[]>(
  Object.entries({
    oauth_timestamp: [
      '0',
      '00',
      '01',
      '0170',
      `0${requestTime}`,
      '-1',
      '+1',
      '1.0',
      '1e9',
      '\u0661',
      `${requestTime} `,
      '17000000000000',
    ],
    oauth_version: ['1.0', '1', '1.00', '1.0a', '2.0', ' 1.0', '1.0 '],
    oauth_signature_method: ['HMAC-SHA1', 'RSA-SHA256', 'hmac-sha1', 'HMAC-SHA256', 'PLAINTEXT', 'RSA-SHA1'],
    oauth_signature: [
      ...[
        'A',
        'AA',
        'AAA',
        'AAAA',
        'AA==',
        'AAA=',
        'AB==',
        'AAB=',
        'A===',
        '=',
        '====',
        'AAAA=',
        'A-A_',
        'AA AA',
        'AAAA\n',
      ],
      ...[
        'a'.repeat(39),
        'a'.repeat(40),
        'F'.repeat(64),
        '0'.repeat(128),
        '0'.repeat(256),
        'aB'.repeat(20),
        'g'.repeat(40),
      ],
      ...['AAAA\t', '\u00a0AAAA', '\vAAAA', 'AAAA\ufeff'],
    ],
    day_close_request_id: [
      ...[
        '1234567',
        '12345678',
        'a'.repeat(32),
        'a'.repeat(33),
        '\u{1d400}'.repeat(4),
        '\u{1d400}'.repeat(8),
        '\u00e9'.repeat(8),
      ],
      ...[
        '902B4FF5-a1b2',
        '902B4FF5_a1b2',
        '902B4FF5 ',
        '\n902B4FF5',
        '902B4FF5\ufeff',
        '\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668',
      ],
    ],
  }),
);
function onHeader(name: string, change: (one: Pair, all: Pair[], dice: Dice) => void): Operator<MutableRequest> {
  return { name, apply: ({ header }, dice) => header.length > 0 && change(dice.of(header), header, dice) };
}

function onForm(name: string, change: (one: Pair, all: Pair[], dice: Dice) => void): Operator<MutableRequest> {
  return { name, apply: ({ form }, dice) => form.length > 0 && change(dice.of(form), form, dice) };
}
function pairOperators(where: string, on: typeof onHeader, odd: readonly string[]): Operator<MutableRequest>[] {
  return [
    on(`a ${where} removed`, (one, all) => all.splice(all.indexOf(one), 1)),
    on(`a ${where} doubled`, (one, all, dice) => all.push({ ...one, value: dice.of([one.value, '', 'x']) })),
    on(`a ${where} emptied`, (one) => {
      one.value = '';
    }),
    on(`a ${where} renamed`, (one, _, dice) => {
      one.name = dice.of([spoiltText(one.name, dice), one.name.toUpperCase(), one.name.replaceAll('_', '-'), ...odd]);
    }),
    on(`a further ${where}`, (_, all, dice) =>
      all.splice(dice.below(all.length + 1), 0, { name: dice.of(odd), value: dice.of(['', 'x', '1']) }),
    ),
    ...['once', 'again'].map((which) =>
      on(`another value of a ${where}, ${which}`, (one, _, dice) => {
        one.value = spoiltText(one.value, dice, telling.get(one.name));
      }),
    ),
    on(`a telling value of a ${where}`, (one, _, dice) => {
      if (telling.get(one.name) !== undefined) one.value = dice.of(telling.get(one.name)!);
    }),
    on(`a ${where} encoded otherwise`, (one, _, dice) => {
      one.raw = dice.of([
        one.value,
        encodeURIComponent(encodeURIComponent(one.value)),
        encodeURIComponent(one.value).toLowerCase(),
        `${one.value}%`,
        `%FF${one.value}`,
        one.value.replace(
          /[\s\S]/g,
          (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').slice(-2)}`,
        ),
      ]);
    }),
  ];
}
export const requestOperators: readonly Operator<MutableRequest>[] = [
  ...pairOperators('header parameter', onHeader, [
    'realm',
    'Realm',
    'oauth_token',
    'oauth_body_hash',
    'oauth_callback',
    'x',
    '__proto__',
  ]),
  ...pairOperators('field', onForm, [
    'oauth_token',
    'oauth_x',
    'payload',
    'Payload',
    'sale_approved_sum',
    'sale-approved-sum',
    'x',
    '',
  ]),
  {
    name: 'another scheme',
    apply: (request, dice) => {
      request.scheme = dice.of([
        'oauth ',
        'OAUTH\t',
        'OAuth',
        'OAuth,',
        'OAuth: ',
        'Basic ',
        '',
        'OAuth  ',
        'Bearer x',
      ]);
    },
  },
  {
    name: 'another comma',
    apply: (request, dice) => {
      request.comma = dice.of([',', ' , ', ';', '&', ' ', ',,', ',\t', '']);
    },
  },
  {
    name: 'another quote',
    apply: (request, dice) => {
      request.quote = dice.of(['', "'", '""']);
    },
  },
  {
    name: 'no header, or two',
    apply: (request, dice) => {
      request.lines = dice.of([0, 2]);
    },
  },
  ...batchOperators,
  {
    name: 'the body spoilt',
    apply: (request, dice) => {
      const odd = dice.of<string | Uint8Array>([
        '',
        '{}',
        '[]',
        '<x/>',
        '--x',
        'x',
        '=',
        '&',
        '&&a=b',
        ' {a=b',
        '%',
        Buffer.from([0xff, 0x3d]),
      ]);
      const around = dice.of(['\n', '\r\n', '&', ' ', '%', '%4', '?', '\ufeff', '\u00e9', '+', '=']);
      const kind = dice.below(4);
      request.body = (text) => {
        if (kind === 0) return odd;
        if (kind === 1) return text + around;
        return kind === 2 ? around + text : spoiltText(text, dice);
      };
    },
  },
];
