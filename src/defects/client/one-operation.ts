/** Keeps an alteration to one operation: most steps are taken by both. */
import type { Operation } from '../../../contracts/operations.ts';
import type { ClientAlteration, Context } from '../../client/index.ts';

type Hook = (value: unknown, context: Context) => unknown;

export function only(operation: Operation, alteration: ClientAlteration): ClientAlteration {
  const hooks = Object.entries(alteration as Readonly<Record<string, Hook>>).map(([name, hook]) => [
    name,
    (value: unknown, context: Context) => (context.operation === operation ? hook(value, context) : value),
  ]);
  return Object.fromEntries(hooks) as ClientAlteration;
}
