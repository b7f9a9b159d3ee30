/** Whether a document is one by the schema of ctrf.io, kept here as its package ctrf 0.3.0 (MIT) has it, and its counts are right. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { default as addFormats } from 'ajv-formats';

const digest = '742dee4cffda469902a9c30c4a87b0b7000d59d2ee502dcccb12ec471cea96a2';
const bytes = readFileSync(new URL('./ctrf-schema-0.0.json', import.meta.url));
if (createHash('sha256').update(bytes).digest('hex') !== digest) throw new Error('the schema of ctrf.io was changed');

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
const check = ajv.compile(JSON.parse(bytes.toString('utf8')));

const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'];

/** What is wrong with it, one sentence each. */
export function ctrfFaults(value: unknown): string[] {
  check(value);
  const { tests = [], summary = {} } = (value as { results?: Document }).results ?? {};
  return [
    ...(check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
    ...statuses
      .filter((status) => summary[status] !== tests.filter((test) => test.status === status).length)
      .map((status) => `the count of ${status} is wrong`),
    ...(summary.tests === tests.length ? [] : ['the count of tests is wrong']),
  ];
}

interface Document {
  readonly tests?: readonly { readonly status: string }[];
  readonly summary?: Readonly<Record<string, unknown>>;
}
