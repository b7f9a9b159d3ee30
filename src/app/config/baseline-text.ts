/** The text of a baseline after a run, with the comments that a person wrote beside its entries. */
import { isMap, isSeq, parseDocument } from 'yaml';
import type { BaselineEntry } from '../../record/result/result.ts';

const heading =
  ' Known failures: countersign explain ID describes a requirement. Say why each is tolerated, and until when.';

/** `before` is the text of a file that fits the schema; undefined where there is none yet. */
export function baselineText(before: string | undefined, entries: readonly BaselineEntry[]): string {
  const document = parseDocument(before ?? '', { uniqueKeys: false });
  const list = document.get('known');
  if (before === undefined) document.commentBefore = heading;
  if (!isSeq(list)) {
    document.set('known', document.createNode(entries));
    return document.toString({ lineWidth: 0 });
  }
  const idOf = (item: unknown) => (isMap(item) ? item.get('id') : undefined);
  list.items = entries.map((entry) => {
    const item = list.items.find((one) => idOf(one) === entry.id);
    if (!isMap(item)) return document.createNode(entry);
    for (const key of ['reason', 'expires', 'received'] as const) {
      if (entry[key] !== undefined && item.get(key) !== entry[key]) item.set(key, entry[key]);
    }
    return item;
  });
  return document.toString({ lineWidth: 0 });
}
