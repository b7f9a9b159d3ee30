/** What the schemas say of a request: which requirements its bytes break. A second opinion beside the judges of clients. */

import type { Operation } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { formObject } from './decoded-forms.ts';
import type { SchemaFault } from './fault.ts';
import { findingsOf, type SchemaFindings } from './findings.ts';
import { validatePayload } from './index.ts';
import { type Pairs, readCsvTable, readFormPairs, readOAuthHeader } from './read-request.ts';

export interface RequestFindings {
  readonly broken: SchemaFindings;
  /** Whether a value in the body goes beyond ASCII: then what its length is, is open. */
  readonly beyondAscii: boolean;
  /** Parts that this reading stops at: then a row that no schema sees has to name what is wrong with them. */
  readonly unread: readonly ('header' | 'csv')[];
}

/** The requirements that the request breaks, as far as a schema can see them; `authorization` is the header's line. Pure. */
export function validateRequest(
  operation: Operation,
  authorization: string | undefined,
  body: Uint8Array,
): RequestFindings {
  const parameters = readOAuthHeader(authorization ?? '');
  const header = parameters === undefined ? [] : validateHeader(operation, parameters);
  const form = validators[operation](body);
  return {
    broken: new Map([...header, ...form.broken]),
    beyondAscii: form.beyondAscii,
    unread: [...(parameters === undefined ? (['header'] as const) : []), ...form.unread],
  };
}

const validators: Readonly<Record<Operation, (body: Uint8Array) => RequestFindings>> = {
  'close-day': validateCloseDay,
  'process-recurring-payments': validateBatch,
};

function validateHeader(operation: Operation, parameters: Pairs): SchemaFindings {
  const object = formObject(parameters.map(([name, value]) => [/^realm$/i.test(name) ? 'realm' : name, value]));
  const faults = validatePayload(`authorization/${operation}`, object);
  // What is missing, empty, there twice or foreign is one row, whatever the parameter.
  const isOfList = ({ path, value }: SchemaFault) =>
    typeof value !== 'string' || value === '' || path === 'oauth_token';
  const ofList = faults.find(isOfList);
  const others = faults.filter((fault) => !isOfList(fault));
  const found = findingsOf(`authorization/${operation}`, others);
  return ofList === undefined ? found : found.set('authentication/header-parameters', ofList.sentence);
}

function validateCloseDay(body: Uint8Array): RequestFindings {
  const malformed = malformedForm(body);
  if (malformed !== undefined) return findings([['close-day/body-is-form', malformed]]);
  const pairs = readFormPairs(body);
  const faults = validatePayload('close-day-request', formObject(pairs));
  const broken = [...ofNames(faults, 'close-day/body-is-form'), ...findingsOf('close-day-request', faults)];
  return findings(broken, { beyondAscii: pairs.some(([, value]) => /[^\x00-\x7f]/.test(value)) });
}

function validateBatch(body: Uint8Array): RequestFindings {
  const malformed = malformedForm(body);
  if (malformed !== undefined) return findings([['recurring/payload-only', malformed]]);
  const form = formObject(readFormPairs(body));
  const faults = validatePayload('recurring-request', { form });
  const single = faults.filter(({ value }) => !Array.isArray(value));
  const rows = findingsOf('recurring-request', single);
  const broken = [...ofNames(faults, 'recurring/payload-only'), ...rows];
  if (typeof form.payload !== 'string' || rows.has('recurring/payload-base64')) return findings(broken);
  const bytes = Buffer.from(form.payload, 'base64');
  const csv = readCsvTable(bytes);
  if (csv === undefined) return findings(broken, { unread: ['csv'] });
  const ofCells = validatePayload('recurring-request', { form, csv }).filter(({ path }) => path.startsWith('csv.'));
  return findings([...broken, ...findingsOf('recurring-request', ofCells)], {
    beyondAscii: bytes.some((byte) => byte > 0x7f),
  });
}

function malformedForm(body: Uint8Array): string | undefined {
  return validatePayload('form-body', Buffer.from(body).toString('latin1'))[0]?.sentence;
}

/** Names that do not belong, and fields that came twice. */
function ofNames(faults: readonly SchemaFault[], row: RequirementId): [RequirementId, string][] {
  return faults.flatMap(({ rule, value, sentence }): [RequirementId, string][] => {
    if (rule === 'false schema') return [['authentication/parameters-only-in-header', sentence]];
    return rule === 'additionalProperties' || Array.isArray(value) ? [[row, sentence]] : [];
  });
}

function findings(broken: [RequirementId, string][], more: Partial<RequestFindings> = {}): RequestFindings {
  return { beyondAscii: false, unread: [], ...more, broken: new Map(broken) };
}
