/** A matrix on a terminal: a line for each implementation, then what changed. */
import { countedWord } from '../../record/counted-word.ts';
import { painter } from '../../report/terminal.ts';
import { visible } from '../../report/visible.ts';
import type { CellState, Implementation, ImplementationMatrix } from './matrix.ts';

const inks = {
  conformant: 'green',
  partial: 'yellow',
  'non-conformant': 'red',
  aborted: 'magenta',
  unsupported: 'dim',
} as const satisfies Record<CellState, string>;

const longestState = 'non-conformant'.length;

/** With a line end at the end. */
export function implementationsText(
  { implementations, profiles, changes, news, pairs = [] }: ImplementationMatrix,
  colour: boolean,
): string {
  const paint = painter(colour);
  const shown = implementations.filter(({ unlisted }) => unlisted !== true);
  const nameOf = ({ kind, name }: Implementation) => `${kind} ${visible(name)}`;
  const width = Math.max('implementation'.length, ...shown.map((one) => nameOf(one).length)) + 2;
  const line = (one: Implementation) =>
    [
      nameOf(one).padEnd(width),
      ...profiles.map((profile) => {
        const state = one.cells.find((cell) => cell.profile === profile)?.runs.at(-1)?.state;
        return state === undefined
          ? 'not run yet'.padEnd(longestState + 2)
          : paint(inks[state], state.padEnd(longestState + 2));
      }),
      one.waits === undefined ? '' : `(${visible(one.waits)})`,
    ]
      .join('')
      .trimEnd();
  return [
    paint(
      'bold',
      `${'implementation'.padEnd(width)}${profiles.map((name) => name.padEnd(longestState + 2)).join('')}`.trimEnd(),
    ),
    ...shown.map(line),
    ...shown.flatMap((one) =>
      one.cells.flatMap(({ profile, runs }) => {
        const words = runs.at(-1)?.concluded;
        return words === undefined ? [] : [`${nameOf(one)}, profile ${profile}: ${words}`];
      }),
    ),
    '',
    ...pairs.map(({ client, gateway, is, reason }) =>
      visible(`${client} with ${gateway}: ${is}${reason === undefined ? '' : `, ${reason}`}`),
    ),
    ...(pairs.length === 0 ? [] : ['']),
    news === 0 ? 'No cell changed.' : `${countedWord(news, 'cell')} changed:`,
    ...changes.slice(0, news).map(({ is, sentence }) => `  ${is === 'other' ? 'changed' : is}: ${visible(sentence)}`),
    '',
  ].join('\n');
}
