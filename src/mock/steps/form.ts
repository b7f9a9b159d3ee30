/** Steps on the form body before anything is verified, and on what its fields have in common (4.1, 4.2). */
import { headerValues } from '../../record/exchange.ts';
import { firstValue } from '../received.ts';
import { step } from './step.ts';

export const formSteps = [
  step('method', ({ request }) => (request.method === 'POST' ? undefined : 'the method is not POST')),

  step('content-type', ({ request }) => {
    const values = headerValues(request.headers, 'content-type');
    // Parameters such as charset, and letter case, do not matter (RFC 9110 section 8.3.1).
    const types = values.map((value) => value.split(';', 1)[0]!.trim().toLowerCase());
    return types.length === 1 && types[0] === 'application/x-www-form-urlencoded'
      ? undefined
      : 'the content type is not application/x-www-form-urlencoded';
  }),
] as const;

/** @param fields the names that the operation's form may have once at most */
export const fieldSteps = (fields: readonly string[]) =>
  [
    step('endpoint', ({ endpointId }, { world }) => (world.endpoints.has(endpointId) ? undefined : 'unknown endpoint')),

    step('endpoint-of-consumer', ({ endpointId, oauth }, { world }) => {
      const owner = world.endpoints.get(endpointId)?.gates[0]?.consumerKey;
      const isForeign = owner !== undefined && owner !== firstValue(oauth, 'oauth_consumer_key');
      return isForeign ? 'the endpoint is that of another consumer' : undefined;
    }),

    step('fields-once', ({ form }) => {
      const names = form.map(([name]) => name).filter((name) => fields.includes(name));
      return new Set(names).size === names.length ? undefined : 'a field is repeated';
    }),
  ] as const;
