/** A named way to spoil a message. */
import type { Dice } from '../../dice.ts';

/** One mutation: changes the message in place, or leaves it where it has nothing to change. */
export interface Operator<Message> {
  readonly name: string;
  readonly apply: (message: Message, dice: Dice) => void;
}

/** Applies one operator, or two or three: what hides behind another fault is looked at too. Returns their names. */
export function mutate<Message>(message: Message, operators: readonly Operator<Message>[], dice: Dice): string {
  const chosen = Array.from({ length: dice.of([1, 1, 1, 1, 2, 2, 3]) }, () => dice.of(operators));
  for (const { apply } of chosen) apply(message, dice);
  return chosen.map(({ name }) => name).join(', ');
}

/** What may become of any text: `from` are texts that matter at that place. */
export function spoiltText(text: string, dice: Dice, from: readonly string[] = []): string {
  const characters = [...text];
  const at = dice.below(characters.length + 1);
  const one = dice.of([
    '',
    ' ',
    '\n',
    '\r',
    '\t',
    '\u00a0',
    '\ufeff',
    '-',
    '+',
    '.',
    ',',
    '0',
    '1',
    '9',
    'e',
    'A',
    'z',
  ]);
  const other = dice.of([
    '\u0661',
    '\uff11',
    '\u0430',
    '\u00e9',
    'e\u0301',
    '\u{1d400}',
    '\u0000',
    '"',
    ';',
    '%',
    '_',
    '/',
  ]);
  switch (dice.below(8)) {
    case 0:
      return characters.toSpliced(at, 1).join('');
    case 1:
      return characters.toSpliced(at, 0, one).join('');
    case 2:
      return characters.toSpliced(at, 1, one).join('');
    case 3:
      return characters.toSpliced(at, 1, other).join('');
    case 4:
      return dice.of([text.toUpperCase(), text.toLowerCase(), text + text, text.slice(0, at), text.trim()]);
    case 5:
      return dice.of(['', ' ', '\n', 'null', 'true', '0', '1.0', '-1', '1e3', text.repeat(40)]);
    default:
      return from.length === 0 ? characters.toSpliced(at, 0, one, one).join('') : dice.of(from);
  }
}
