/** Gateways that do not look at the content type of one operation (sections 4.1 and 4.2). */
import type { Operation } from '../../contracts/requirements/requirement.ts';
import type { Alteration } from '../mock/alteration.ts';

/** Takes the content type for a form's; requests to the other operation are read as they are. */
export function readsAnyType(operation: Operation): Alteration {
  return {
    reads: (request) => {
      if (!request.target.includes(`/${operation}/`)) return request;
      const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
      return { ...request, headers: [...others, ['Content-Type', 'application/x-www-form-urlencoded']] };
    },
  };
}
