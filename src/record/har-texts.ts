/** Texts in a HAR file that are made when they are written, and put into their places in the JSON of an entry. */

/** A text, or one that is made when it is written: a run may have a hundred thousand entries, and a body may not be in memory. */
export type HarPart = string | (() => string);

/** The text itself. */
export function textOfPart(part: HarPart): string {
  return typeof part === 'string' ? part : part();
}

/** The text of a long body, as the last member of an object in an entry. */
export interface LongText {
  readonly path: readonly string[];
  readonly part: () => string;
}

/** JSON of the object, with the texts in their places. */
export function withLongTexts(
  value: object,
  texts: readonly LongText[],
  json: (value: unknown) => string,
): readonly HarPart[] {
  if (texts.length === 0) return [json(value)];
  const names = new Set(texts.map(({ path }) => path[0]!));
  const rest = json(Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))).slice(1, -1);
  const inside = [...names].flatMap((name, index): readonly HarPart[] => {
    const below = texts.flatMap(({ path: [first, ...path], part }) => (first === name ? [{ path, part }] : []));
    const start = `${index === 0 && rest === '' ? '' : ','}${json(name)}:`;
    const own = below.find(({ path }) => path.length === 0);
    if (own !== undefined) return [start, own.part];
    return [start, ...withLongTexts((value as Record<string, object>)[name]!, below, json)];
  });
  return [`{${rest}`, ...inside, '}'];
}

/** Text and encoding of a long body, as JSON. Escapes may make a text six times as long as its bytes: then it is base64. */
export function longText(body: Uint8Array, safe: (json: string) => string, encoding: string): string {
  const { text, base64 } = textOf(body);
  const plain = base64 ? undefined : safe(JSON.stringify(text));
  if (plain !== undefined && plain.length <= 1.5 * body.length) return plain;
  return `"${Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64')}","${encoding}":"base64"`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** As text where it is UTF-8, else in base64. */
export function textOf(body: Uint8Array): { readonly text: string; readonly base64: boolean } {
  try {
    return { text: utf8.decode(body), base64: false };
  } catch {
    return { text: Buffer.from(body).toString('base64'), base64: true };
  }
}
