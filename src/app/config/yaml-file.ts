/** Reads YAML files with the line of each value, and checks them against a schema. */
import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser, parseDocument } from 'yaml';
import { joinPath, quoteSource, type SchemaName, validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import { UsageError, usageError } from '../../run/options/usage-error.ts';
import { joinText } from '../arguments.ts';

const maxBytes = 1024 * 1024;

/** Returns undefined if the file does not exist. `what` names the file in messages, such as `the baseline`. */
export async function readYamlFile(
  path: string,
  what: string,
  schema: SchemaName,
  faultsBeyondSchema?: (value: unknown) => Promise<readonly { readonly path: string; readonly sentence: string }[]>,
): Promise<{ readonly text: string; readonly value: unknown } | undefined> {
  const found = await readRegularText(path, maxBytes);
  if ('unreadable' in found) {
    if (found.unreadable === 'does not exist') return undefined;
    const hint = 'Name a YAML file in UTF-8 that you may read.';
    throw new UsageError(`${what} ${path} ${found.unreadable}`, hint, found.cause);
  }
  const { text } = found;
  const document = parseConfigText(text);
  if ('faults' in document) {
    const [{ line, sentence }] = document.faults as readonly [ConfigFault];
    throw usageError()`${path}:${line}: the file is not ${what}: ${sentence}`;
  }
  const content = document.value() ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    // The user may have named a file with a secret, so the message quotes nothing of the file.
    throw usageError()`${path}:1: the file has no keys with values, so it is not ${what}
      Check the name of the file.`;
  }
  const value = withoutNulls(content);
  const schemaFaults = validate(schema, value);
  // Finding the line of a fault is slow. So keep one fault more than `refusal` shows: it then adds "has more faults".
  const moreFaults = schemaFaults.length === 0 ? await faultsBeyondSchema?.(value) : undefined;
  const faults = (moreFaults ?? schemaFaults).slice(0, maxFaults + 1);
  if (faults.length === 0) return { text, value };
  const lineOf = (fault: (typeof faults)[number]) => document.lineOf(fault.path);
  throw refusal(
    path,
    faults.map((fault) => ({ line: lineOf(fault), sentence: quoteSource(fault, document) })),
  );
}

/** Removes keys without a value, because they count as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

export interface ConfigFault {
  readonly line: number;
  /** A sentence without a full stop. */
  readonly sentence: string;
  readonly hint?: string | undefined;
}

interface TextPlace {
  /** The path of the text in the document, such as `recurring[0].id`. */
  readonly path: string;
  readonly text: string;
  replace(text: string): void;
}

export interface ConfigDocument {
  texts(): TextPlace[];
  value(): unknown;
  /** The line of the value at a path, or of its nearest parent that exists. */
  lineOf(path: string): number;
  /** The text of a scalar exactly as in the file, for example with trailing zeros. */
  sourceOf(path: string): string | undefined;
}

/** Reads one YAML document, or returns all its syntax faults. */
export function parseConfigText(
  text: string,
  spelling?: Spelling,
): ConfigDocument | { readonly faults: readonly ConfigFault[] } {
  const lines = new LineCounter();
  const deepLine = findTooDeepLine(text);
  if (deepLine !== undefined) return { faults: [{ line: deepLine, sentence: sentenceFor('RESOURCE_EXHAUSTION') }] };
  // Messages of the library may quote secrets, so use only its error codes. It needs quadratic time to find duplicate
  // keys, so `survey` finds them. With the log level `silent`, it would ignore a second document.
  const options = { prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;
  const document = parseDocument(text, { lineCounter: lines, ...options });
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const found = survey(document.contents, spelling);
  const syntaxFaults = [...document.errors, ...document.warnings].map(({ code, pos }) => ({ code, offset: pos[0] }));
  const faults = syntaxFaults.length > 0 ? syntaxFaults : found.faults;
  if (faults.length > 0) {
    return { faults: faults.map(({ code, offset }) => ({ line: lineAt(offset), sentence: sentenceFor(code) })) };
  }
  return {
    texts: () =>
      [...found.places].flatMap(([path, { node }]) => {
        if (!isScalar(node) || typeof node.value !== 'string') return [];
        return [{ path, text: node.value, replace: (value: string) => Object.assign(node, { value }) }];
      }),
    value: () => document.toJS(),
    lineOf(path) {
      let parent = path;
      while (!found.places.has(parent)) parent = parent.replace(/(?:\["(?:\\.|[^"\\])*"\]|\[\d+\]|\.?[^.[\]]+)$/, '');
      return lineAt(found.places.get(parent)!.offset);
    },
    sourceOf(path) {
      const { node } = found.places.get(path) ?? {};
      return isScalar(node) ? node.source : undefined;
    },
  };
}

/** Returns the current spelling of a key, because files may still have an old spelling. */
type Spelling = (key: string) => string;

interface Survey {
  /** Every value by its path. `offset` is the position of the key, or of the value if there is no key. */
  readonly places: Map<string, { readonly node: unknown; readonly offset: number | undefined }>;
  readonly faults: { readonly code: string; readonly offset: number | undefined }[];
}

function survey(contents: unknown, spelling: Spelling = (key) => key): Survey {
  const found: Survey = { places: new Map(), faults: [] };
  const fault = (code: string, { range }: Node) => found.faults.push({ code, offset: range?.[0] });
  const visit = (node: unknown, path: string, anchor: unknown): void => {
    const { range } = (anchor ?? {}) as Partial<Node>;
    if (!found.places.has(path)) found.places.set(path, { node, offset: range?.[0] });
    if (isAlias(node)) fault('BAD_ALIAS', node);
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, `${path}[${index}]`, item);
    if (!isMap(node)) return;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (isAlias(key)) fault('BAD_ALIAS', key);
      if (!isScalar(key)) continue;
      if (typeof key.value === 'string') key.value = spelling(key.value);
      if (keys.size === keys.add(key.value).size) fault('DUPLICATE_KEY', key);
      visit(value, joinPath(path, String(key.value)), key);
    }
  };
  visit(contents, '', contents);
  return found;
}

const maxLevels = 100;

/** Returns the number of the first line that is nested too deeply. Parsing it could overflow the stack. */
function findTooDeepLine(text: string): number | undefined {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  for (const token of new Lexer().lex(text)) {
    for (const _ of parser.next(token));
    if (parser.stack.length > maxLevels) return lines.lineStarts.length + 1;
  }
  return undefined;
}

function sentenceFor(code: string): string {
  const sentences: Readonly<Record<string, string>> = {
    DUPLICATE_KEY: 'the same key occurs twice; remove one of them',
    TAB_AS_INDENT: 'a line is indented with a tab; use spaces',
    BAD_INDENT: 'the indentation is wrong, or a [ or { is not closed; indent all keys of a map equally',
    MULTIPLE_DOCS: 'a second document starts here (---); remove it',
    // Refuse aliases: an alias could hide a plain secret or an allowed effect.
    BAD_ALIAS: 'an alias (*) is not allowed; write the value, in quotes if it starts with *',
    BAD_SCALAR_START: 'a text that starts with @, a backtick or % must be in quotes',
    RESOURCE_EXHAUSTION: `more than ${maxLevels} lists or maps are nested`,
    BAD_DIRECTIVE: 'a text that starts with % must be in quotes',
    MULTILINE_IMPLICIT_KEY: 'a key has several lines; a colon is missing, or there is one too many',
    BLOCK_AS_IMPLICIT_KEY: 'a line has a second colon; a text with a colon must be in quotes',
    BLOCK_IN_FLOW: 'a list or map inside brackets must itself be in brackets',
    UNEXPECTED_TOKEN: 'something follows a complete value; a text with YAML signs must be in quotes',
    TAG_RESOLVE_FAILED: 'a tag (!) is unknown; a text that starts with ! must be in quotes',
    MISSING_CHAR: 'a quote or a bracket is not closed, or a colon has no space after it',
    BAD_DQ_ESCAPE: 'this escape does not exist; use single quotes for a text with a backslash',
  };
  return sentences[code] ?? `this is not YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
}

/** Maximum number of faults to show. */
export const maxFaults = 20;

/** Returns one error for all faults. Its message has `path:line: sentence` for each of the first `maxFaults` faults. */
export function refusal(path: string, faults: readonly ConfigFault[]): UsageError {
  const lines = faults
    .slice(0, maxFaults)
    .flatMap(({ line, sentence, hint }) => [`${path}:${line}: ${sentence}`, faults.length === 1 ? undefined : hint]);
  if (faults.length > maxFaults) lines.push(`${path} has more faults`);
  return new UsageError(joinText(...lines).replace(/\.$/, ''), faults.length === 1 ? faults[0]!.hint : undefined);
}
