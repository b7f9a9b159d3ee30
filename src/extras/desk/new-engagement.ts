/** Reads what an engagement is asked for with: members of a JSON object, or fields of a form. */
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { DeskError } from './desk-error.ts';
import type { NewEngagement } from './issue.ts';

const longestName = 80;

/** Throws DeskError `bad-request`. */
export function readNewEngagement(given: Readonly<Record<string, unknown>>): NewEngagement {
  const unknown = Object.keys(given).find((name) => !['name', 'operations', 'publicKeyPem'].includes(name));
  if (unknown !== undefined) throw bad(`${unknown} is not known here`);
  const name = typeof given.name === 'string' ? given.name.trim() : '';
  if (name === '' || [...name].length > longestName || /\p{C}/u.test(name)) {
    throw bad(`the name has to be a printable text of 1 to ${longestName} characters`);
  }
  const publicKeyPem = readKey(given.publicKeyPem);
  return {
    name,
    operations: readOperations(given.operations),
    publicKeyPem,
  };
}

/** Throws DeskError `bad-request`. */
export function readObject(body: string): Record<string, unknown> {
  if (body.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new DeskError('bad-request', 'the body is not JSON', 'send a JSON object', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('the body is not a JSON object');
  return value as Record<string, unknown>;
}

function readOperations(given: unknown): Operation[] {
  if (given === undefined || given === 'both') return [...operationNames];
  const asked: readonly unknown[] = Array.isArray(given) ? given : [given];
  const chosen = operationNames.filter((operation) => asked.includes(operation));
  if (chosen.length === 0 || chosen.length !== asked.length) throw bad(`operations are ${operationNames.join(' or ')}`);
  return chosen;
}

function readKey(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'string') throw bad('publicKeyPem has to be a text');
  return given.trim() === '' ? undefined : given;
}

function bad(message: string): DeskError {
  return new DeskError('bad-request', message, 'give name, and if you like operations and publicKeyPem');
}
