/** `countersign completion`: prints a script that completes commands and options in a shell. */
import { printedJson } from '../../report/visible.ts';
import { commandNames, optionsOf, setNames } from '../../run/options/options.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export async function run(shell: Shell, { json }: Input<'completion'>, { out }: Surroundings): Promise<ExitCode> {
  const all = await allWords();
  const pick = (options: CommandWords[number]['options']) => options.map(({ flag, choices }) => ({ flag, choices }));
  if (json) out(printedJson(all.map(({ name, options }) => ({ name, options: pick(options) }))));
  else out(shell === 'fish' ? fishScript(all) : bashScript(shell, all));
  return 0;
}

type CommandWords = Awaited<ReturnType<typeof allWords>>;

async function allWords() {
  const { profiles } = await import('../../../contracts/profiles.ts');
  const { mockDefects, usableClientDefects } = await import('../../faults/index.ts');
  return commandNames.map((name) => {
    const defects = name === 'client' ? usableClientDefects : mockDefects;
    const byName: Readonly<Record<string, readonly string[]>> = {
      profile: profiles.map((profile) => profile.name),
      set: setNames,
      defect: defects.map(({ id }) => id),
    };
    const options = optionsOf(name).map((option) => ({ ...option, choices: option.choices ?? byName[option.name] }));
    return { name, options };
  });
}

/** One script for bash and zsh, because zsh can run bash functions. Completes file names if there are no choices. */
function bashScript(shell: 'bash' | 'zsh', all: CommandWords): string {
  const cases = all.map(({ name, options }) => {
    const valueCases = options.flatMap(({ flag, takes, choices = [] }) =>
      takes.startsWith('<') ? [`${flag}) words='${choices.join(' ')}' ;;`] : [],
    );
    const flags = options.map(({ flag }) => flag).join(' ');
    return `    ${name}) case "$3" in ${[...valueCases, `*) words='${flags} --help' ;;`].join(' ')} esac ;;`;
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

function fishScript(all: CommandWords): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ name, options }) => [
    `complete -c countersign -n __fish_use_subcommand -a ${name}`,
    ...options.map(({ flag, takes, choices = [], help }) => {
      const anyValue = takes.startsWith('<') ? ' -r' : '';
      const values = choices.length > 0 ? ` -xa ${quoted(choices.join(' '))}` : anyValue;
      return `complete -c countersign -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${values} -d ${quoted(help)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}
