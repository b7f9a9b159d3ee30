/** Alterations of what a gateway reads: bodies of other types than forms, and another CSV than was sent. */
import type { Operation } from '../../contracts/operations.ts';
import type { Alteration } from '../mock/alteration.ts';
import type { Received } from '../mock/received.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import { headerValues } from '../record/exchange.ts';

/** Takes the content type for a form's; requests to the other operation are read unchanged. */
export function readsAnyType(operation: Operation): Alteration {
  return {
    reads: (request) => {
      if (!request.target.includes(`/${operation}/`)) return request;
      const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
      return { ...request, headers: [...others, ['Content-Type', 'application/x-www-form-urlencoded']] };
    },
  };
}

/** Reads members of JSON as fields. RFC 5849 3.4.1.3.1 signs no such body. */
export const readsJson: Alteration = {
  reads: (request) => {
    const members = jsonMembers(request);
    if (members === undefined) return request;
    const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
    const headers = [...others, ['Content-Type', 'application/x-www-form-urlencoded'] as const];
    return { ...request, headers, body: Buffer.from(encodeForm(Object.entries(members))) };
  },
  signs: (material, original) => (jsonMembers(original) === undefined ? material : { ...material, body: [] }),
};

function jsonMembers({ headers, body }: Received): Readonly<Record<string, string>> | undefined {
  if (!headerValues(headers, 'content-type').includes('application/json')) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What is checked and acted on is another CSV than the one received; what was signed is the one received. */
export function readsPayload(change: (csv: string) => string): Alteration {
  const changed = ([name, value]: Pair): Pair => [
    name,
    name === 'payload' ? Buffer.from(change(Buffer.from(value, 'base64').toString())).toString('base64') : value,
  ];
  const csvOf = (pairs: readonly Pair[]) => pairs.map(([, value]) => Buffer.from(value, 'base64').toString()).join();
  return {
    reads: (request) => {
      const form = decodeForm(request.body);
      return change(csvOf(form)) === csvOf(form)
        ? request
        : { ...request, body: Buffer.from(encodeForm(form.map(changed))) };
    },
    signs: (material, original) => ({ ...material, body: decodeForm(original.body) }),
  };
}
