/** Gateways that read bodies of other types than forms (sections 4.1 and 4.2). */
import type { Operation } from '../../contracts/operations.ts';
import type { Alteration } from '../mock/alteration.ts';
import type { Received } from '../mock/received.ts';
import { encodeForm } from '../protocol/index.ts';
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
