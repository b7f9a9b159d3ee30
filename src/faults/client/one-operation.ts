/** Keeps an alteration to one operation, as most steps are taken by both, or to one kind of environment. */
import type { Operation } from '../../../contracts/operations.ts';
import type { ClientAlteration, Context } from '../../peer/client/index.ts';

type Hook = (value: unknown, context: Context) => unknown;

export function only(operation: Operation, alteration: ClientAlteration): ClientAlteration {
  return where((context) => context.operation === operation, alteration);
}

/** `variable` matches a variable and its value, such as `TZ=Europe/Berlin`. */
export function onlyUnder(variable: RegExp, alteration: ClientAlteration): ClientAlteration {
  return where(
    ({ environment }) => Object.entries(environment).some(([name, value]) => variable.test(`${name}=${value}`)),
    alteration,
  );
}

function where(holds: (context: Context) => boolean, alteration: ClientAlteration): ClientAlteration {
  const hooks = Object.entries(alteration as Readonly<Record<string, Hook>>).map(([name, hook]) => [
    name,
    (value: unknown, context: Context) => (holds(context) ? hook(value, context) : value),
  ]);
  return Object.fromEntries(hooks) as ClientAlteration;
}
