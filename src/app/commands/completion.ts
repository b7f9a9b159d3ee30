/** `countersign completion`: a script that completes commands, options and their choices in a shell. */

import { printedJson } from '../../report/visible.ts';
import { commandNames, optionsOf } from '../../run/options/options.ts';
import type { DefinedCommand, Given, Surroundings } from '../command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export const command: DefinedCommand = {
  name: 'completion',
  description: 'Prints a script that completes commands and options in a shell.',
  operands: [{ takes: '<shell>', help: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
  examples: ['countersign completion bash >> ~/.bashrc', 'countersign completion fish | source'],
  exits: '0 done, 2 wrong use, 3 a fault of the suite or the environment.',
  run: async (shell: Shell, { json }: Given<'completion'>, { out }: Surroundings) => {
    out(json ? printedJson(words()) : shell === 'fish' ? fishScript() : bashScript(shell));
    return 0;
  },
};

function words() {
  return commandNames.map((name) => ({
    name,
    options: optionsOf(name).map(({ flag, choices }) => ({ flag, choices })),
  }));
}

/** zsh runs the functions of bash. Files are completed where nothing else is known. */
function bashScript(shell: 'bash' | 'zsh'): string {
  const cases = commandNames.map((name) => {
    const options = optionsOf(name);
    const chosen = options.flatMap(({ flag, takes, choices = [] }) =>
      takes.startsWith('<') ? [`${flag}) words='${choices.join(' ')}' ;;`] : [],
    );
    const flags = options.map(({ flag }) => flag).join(' ');
    return `    ${name}) case "$3" in ${[...chosen, `*) words='${flags} --help' ;;`].join(' ')} esac ;;`;
  });
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_countersign() {
  local words='${commandNames.join(' ')} --help --version'
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words= ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$2"))
}
complete -o default -F _countersign countersign
`;
}

function fishScript(): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commandNames.flatMap((name) => [
    `complete -c countersign -n __fish_use_subcommand -a ${name}`,
    ...optionsOf(name).map(({ flag, takes, choices = [], help }) => {
      const values = choices.length > 0 ? ` -xa ${quoted(choices.join(' '))}` : takes.startsWith('<') ? ' -r' : '';
      return `complete -c countersign -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${values} -d ${quoted(help)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}
