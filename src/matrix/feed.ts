/** What changed in a matrix as an Atom feed (RFC 4287). Pure. */
import { createHash } from 'node:crypto';
import { escapeXml } from '../report/junit-xml.ts';
import { visible } from '../report/visible.ts';
import type { CellChange, ImplementationMatrix } from './matrix.ts';

/** Entries: readers of feeds keep older ones themselves. */
const mostEntries = 100;

/** @param url address of the folder once it is published; without it links are relative */
export function matrixFeed({ id, title, updatedAt, changes, suite }: ImplementationMatrix, url?: string): string {
  const base = url === undefined ? '' : url.replace(/\/*$/, '/');
  const entries = changes.slice(0, mostEntries);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>urn:countersign:matrix:${id}</id>`,
    `  <title>${text(title)}</title>`,
    `  <updated>${entries[0]?.at ?? updatedAt}</updated>`,
    `  <author><name>Countersign ${text(suite.version)}</name></author>`,
    ...(url === undefined ? [] : [`  <link rel="self" href="${text(`${base}feed.atom`)}"/>`]),
    `  <link rel="alternate" type="text/html" href="${text(`${base}index.html`)}"/>`,
    ...entries.flatMap((change) => entry(change, id, base)),
    '</feed>',
    '',
  ].join('\n');
}

function entry(change: CellChange, id: string, base: string): string[] {
  const { at, kind, name, profile, from, to, is, sentence, run } = change;
  const digest = createHash('sha256')
    .update(JSON.stringify([at, kind, name, profile, sentence]))
    .digest('hex');
  const turned = from === to ? `still ${to}, with other findings` : `${from} became ${to}`;
  return [
    '  <entry>',
    `    <id>urn:countersign:matrix:${id}:${digest.slice(0, 32)}</id>`,
    `    <title>${text(`${is === 'other' ? 'changed' : is}: ${kind} ${name}, ${profile}, ${turned}`)}</title>`,
    `    <updated>${at}</updated>`,
    `    <link rel="alternate" type="text/html" href="${text(`${base}${run === undefined ? 'index.html' : `${run}/report.html`}`)}"/>`,
    `    <category term="${is}"/>`,
    `    <summary>${text(sentence)}</summary>`,
    '  </entry>',
  ];
}

/** Also between quotes. What XML forbids altogether is written out. */
function text(foreign: string): string {
  return escapeXml(visible(foreign));
}
