/** A small YAML file that a person named, checked against its schema. */
import { asWritten, type SchemaName, validate } from '../../../schemas/index.ts';
import { readRegularText } from '../../record/disk/files.ts';
import { UsageError } from '../usage-error.ts';
import { mostTold, refusal } from './config-file.ts';
import { type ConfigFault, parseConfigText } from './config-yaml.ts';

/** Nothing that people write by hand is longer. */
const largestBytes = 1024 * 1024;

export interface YamlFile {
  /** As it is in the file. */
  readonly text: string;
  /** Fits the schema. */
  readonly value: unknown;
}

/**
 * Undefined where there is no such file. Throws UsageError.
 *
 * @param what what the file should be, such as `the baseline`
 * @param beyond what is wrong with a value that fits the schema
 */
export async function readYamlFile(
  path: string,
  what: string,
  schema: SchemaName,
  beyond: (value: unknown) => readonly { readonly path: string; readonly sentence: string }[] = () => [],
): Promise<YamlFile | undefined> {
  const found = await readRegularText(path, largestBytes);
  if ('unreadable' in found) {
    if (found.unreadable === 'does not exist') return undefined;
    const hint = 'Name a YAML file that you may read, in UTF-8.';
    throw new UsageError('unreadable-file', `${what} ${path} ${found.unreadable}`, { hint, cause: found.cause });
  }
  const { text } = found;
  const document = parseConfigText(text);
  if ('faults' in document) {
    const [{ line, sentence }] = document.faults as readonly [ConfigFault];
    throw new UsageError('bad-config', `${path}:${line}: the file is ${what.replace(/^the /, 'no ')}: ${sentence}`);
  }
  const held = document.value() ?? {};
  if (typeof held !== 'object' || Array.isArray(held)) {
    // This may be another file, perhaps one with a secret: nothing of it is quoted.
    const sentence = `the file holds no keys with values, so it is ${what.replace(/^the /, 'no ')}`;
    throw new UsageError('bad-config', `${path}:1: ${sentence}`, { hint: 'Name the file that is meant.' });
  }
  const value = withoutNulls(held);
  const broken = validate(schema, value);
  const faults = broken.length === 0 ? beyond(value) : broken;
  if (faults.length === 0) return { text, value };
  throw refusal(
    path,
    // The line of each has to be looked for; one more than are told says that there are more.
    faults
      .slice(0, mostTold + 1)
      .map((fault) => ({ line: document.lineOf(fault.path), sentence: asWritten(fault, document) })),
  );
}

/** A key without a value is a key that is not there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, withoutNulls(member)]])),
  );
}
