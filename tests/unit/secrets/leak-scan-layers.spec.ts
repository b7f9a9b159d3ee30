/** Nothing in the search for secrets is there for nothing: without any one part of it a secret is missed that is found with it. */
import { deflateSync } from 'node:zlib';
import { encoders } from '../../../src/secrets/encoders.ts';
import { allLayers, type LayerName, layerNames, layersOf } from '../../../src/secrets/layers.ts';
import { redactorFor } from '../../../src/secrets/redactor.ts';
import { scannerFor } from '../../../src/secrets/scan.ts';
import { manyTexts, type Secret, secretText } from '../../../src/secrets/secret.ts';
import { expect, test } from '../../engine.ts';
import { encodings } from './leak-scan-encodings.ts';

// No quote and no angle bracket: files are cut only where no secret goes across.
const text = 'c4nary of the test/+&= ~';

const times = (count: number, encode: (text: string) => string, start = text): string =>
  Array.from({ length: count }).reduce<string>((told) => encode(told), start);
/** The second character alone is escaped: no form that is known beforehand has that. */
const second = (escaped: string) => text.replace('4', escaped);
const hex = Buffer.from(text).toString('hex');

/** By the layer that alone finds it. */
const ofLayer: Readonly<Record<LayerName, string>> = {
  percent: second('%34'),
  string: second('\\u0034'),
  entity: second('&#52;'),
  form: second('%34').replaceAll('+', '%2B').replaceAll(' ', '+'),
  'quoted-printable': second('=34'),
  lines: Buffer.from(second('%34')).toString('base64').replace(/.{7}/g, '$&\n'),
  base64: Buffer.from(second('%34')).toString('base64'),
  'glued-base64': `on-${Buffer.from(text).toString('base64')}`,
  'glued-hex': `1${hex}`,
  hex: Buffer.from(second('%34')).toString('hex'),
  'hex-list': encodings['in hex with colons']!(text),
  'number-list': encodings['as a Buffer in JSON']!(text),
  base32: encodings['in base32']!(text),
  packed: deflateSync(text).toString('base64'),
  'utf-16': Buffer.from(second('%34'), 'utf16le').toString('latin1'),
};

/** Glued to what is not its own, or so deep that all layers are taken off before: what is known beforehand is still found. */
const ofEncoder: Readonly<Record<keyof typeof encoders, string>> = {
  percent: encodings['in base32']!(times(4, encodeURIComponent)),
  json: encodings['in base32']!(times(4, (told) => JSON.stringify(told).slice(1, -1), `${text}"`)),
  html: encodings['in base32']!(times(4, encodings['in HTML']!)),
  base64: encodings['in base32']!(times(4, (told) => Buffer.from(told).toString('base64'))),
  hexadecimal: encodings['in base32']!(times(4, (told) => Buffer.from(told).toString('hex'))),
};

const inFile = (told: string) => `{ "start": "of it", "said":"${told}", "end": "of it" }`;
const secret = (told: string, by = Object.values(encoders)) => [
  secretText('the secret', told === ofEncoder.json ? `${text}"` : text, { by }),
];
/** A secret is known in its encodings, one of many values by its text alone. */
const known = (name: LayerName, told: string) =>
  name.startsWith('glued-') ? [manyTexts('the id', [[text]])] : secret(told);
const isFound = (told: string, secrets: readonly Secret[], layers = allLayers) =>
  scannerFor(secrets, layers)({ name: 'file', bytes: Buffer.from(inFile(told), 'latin1') }).length > 0;
const isTakenOut = (told: string, secrets: readonly Secret[], layers = allLayers) =>
  redactorFor(secrets, layers).text(inFile(told)) !== inFile(told);

for (const [name, told] of Object.entries(ofLayer) as [LayerName, string][]) {
  test(`a secret that only the layer ${name} shows is missed without it`, () => {
    const [all, others] = [allLayers, layersOf(layerNames.filter((other) => other !== name))];
    // The scan joins lines of base64 before it looks.
    if (name !== 'lines')
      expect([all, others].map((some) => isFound(told, known(name, told), some))).toEqual([true, false]);
    expect([all, others].map((some) => isTakenOut(told, known(name, told), some))).toEqual([true, false]);
  });
}

for (const [name, told] of Object.entries(ofEncoder) as [keyof typeof encoders, string][]) {
  test(`a secret that only the forms of ${name} show is missed without them`, () => {
    const others = Object.entries(encoders).flatMap(([other, encode]) => (other === name ? [] : [encode]));
    expect([isFound(told, secret(told)), isFound(told, secret(told, others))]).toEqual([true, false]);
  });
}

for (const [name, encode] of Object.entries(encodings)) {
  test(`a secret is found between the strings of JSON and the tags of HTML, where a file is cut, ${name}`, () => {
    const told = encode(text);
    const html = `<p class="a">one</p><code>${told}</code><p>two</p>`;
    const places = [inFile(told), JSON.stringify({ start: 'of it', said: inFile(told) }), html, inFile(html)];
    for (const place of places) {
      expect(scannerFor(secret(told))({ name: 'file', bytes: Buffer.from(place) }), place).toHaveLength(1);
    }
  });
}
