/** An operator changes a right message, and names the requirements that this breaks. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';

export type Rows = readonly RequirementId[];

export interface TableOperator<Message> {
  /** The group, and the change in a few words. */
  readonly id: string;
  readonly group: string;
  /** Changes the message in place. False if there is nothing to change. */
  readonly apply: (message: Message) => unknown;
  /** Written from the statements, never from a run. If it is absent, the schemas say what breaks. */
  readonly breaks?: Rows | ((message: Message) => Rows);
}

/** Makes the operators of one group. An operator changes a message by a function, or replaces parts of it. */
export function inGroup<Message extends object>(group: string) {
  return (
    what: string,
    breaks: TableOperator<Message>['breaks'],
    change: TableOperator<Message>['apply'] | Partial<Message>,
  ): TableOperator<Message> => ({
    id: `${group}: ${what}`,
    group,
    ...(breaks === undefined ? {} : { breaks }),
    apply: typeof change === 'function' ? change : (message) => Object.assign(message, change),
  });
}

/** Wrong spellings of a name that are easily overlooked. */
export const wrongNames: readonly (readonly [how: string, change: (name: string) => string])[] = [
  ['with its first letter in the other case', (name) => swapCase(name[0]!) + name.slice(1)],
  ['in capitals or small letters', (name) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase())],
  ['with a letter doubled', (name) => name.slice(0, 2) + name.slice(1)],
  ['without its last letter', (name) => name.slice(0, -1)],
  ['with a blank behind it', (name) => `${name} `],
  ['with a blank before it', (name) => ` ${name}`],
  ['with a byte-order mark before it', (name) => `\ufeff${name}`],
  ['with a zero-width space in it', (name) => `${name.slice(0, 1)}\u200b${name.slice(1)}`],
  [
    'with a Cyrillic letter',
    (name) => name.replace(/[aeocp]/, (letter) => ({ a: 'а', e: 'е', o: 'о', c: 'с', p: 'р' })[letter]!),
  ],
  ['with an underscore behind it', (name) => `${name}_`],
];

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

/** The texts between the broken bars. */
export const split = (texts: string): string[] => texts.split('¦');

/** Adds a copy of a member to the list. False if there is none. */
export function again<T extends object>(list: T[], one: T | undefined): boolean {
  return one !== undefined && list.push({ ...one }) > 0;
}
