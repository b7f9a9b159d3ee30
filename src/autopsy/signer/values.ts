/** What clients take for the name and value of one parameter, where RFC 5849 section 3.4.1.3.1 takes the decoded text. */
import type { Source } from '../evidence.ts';
import { decodedLeniently, type WrittenPair } from '../written-pairs.ts';
import type { Recipe } from './recipe.ts';

/** Name and value of a pair before they are encoded. */
export function readValue(pair: WrittenPair, source: Source, recipe: Recipe): { name: string; value: string } {
  const { name, value } = asRead(pair, source, recipe);
  // Who decodes values once more does so with credentials too: the other changes are of what people write.
  if (source === 'header') return { name, value: recipe.values === 'decoded-again' ? decodedLeniently(value) : value };
  return {
    name: recipe.names === 'lower-case' ? name.toLowerCase() : name,
    value: withLines(payload(name, changed(value, recipe.values), recipe.payload), recipe.lines),
  };
}

function asRead(pair: WrittenPair, source: Source, recipe: Recipe): { name: string; value: string } {
  const reading = { header: recipe.headerText, query: recipe.queryText, body: recipe.bodyText }[source];
  switch (reading) {
    case 'decoded':
      return pair;
    case 'raw':
      return { name: pair.writtenName, value: pair.writtenValue };
    case 'plus-kept':
      // Only where a "+" was written does it differ; a value of megabytes is not decoded again in vain.
      return pair.writtenValue.includes('+') ? { name: pair.name, value: decodedLeniently(pair.writtenValue) } : pair;
    case 'decoded-twice':
      return { name: decodedLeniently(pair.name), value: decodedLeniently(pair.value) };
  }
}

function changed(value: string, change: Recipe['values']): string {
  switch (change) {
    case 'as-read':
      return value;
    case 'trimmed':
      return value.trim();
    case 'spaces-merged':
      return value.replace(/ {2,}/g, ' ');
    case 'decoded-again':
      return decodedLeniently(value);
  }
}

function payload(name: string, value: string, change: Recipe['payload']): string {
  if (change === 'as-read' || name !== 'payload') return value;
  switch (change) {
    case 'base64-decoded':
      return Buffer.from(value, 'base64').toString();
    case 'unpadded':
      return value.replace(/(?<!=)=+$/, '');
    case 'url-safe':
      return value.replaceAll('+', '-').replaceAll('/', '_');
  }
}

function withLines(value: string, change: Recipe['lines']): string {
  if (change === 'as-read' || !value.includes('\n')) return value;
  switch (change) {
    case 'crlf-to-lf':
      return value.replaceAll('\r\n', '\n');
    case 'lf-to-crlf':
      return value.replace(/\r?\n/g, '\r\n');
    case 'removed':
      return value.replace(/\r?\n/g, '');
  }
}
