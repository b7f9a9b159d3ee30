/** `countersign completion`: prints a script that completes commands and options in a shell. */
import { printedJson } from '../../report/visible.ts';
import { commandNames, optionsOf, setNames } from '../../run/options/options.ts';
import type { ExitCode, Given, Surroundings } from '../command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export async function run(shell: Shell, { json }: Given<'completion'>, { out }: Surroundings): Promise<ExitCode> {
  const all = await allWords();
  const words = (options: Words[number]['options']) => options.map(({ flag, choices }) => ({ flag, choices }));
  if (json) out(printedJson(all.map(({ name, options }) => ({ name, options: words(options) }))));
  else out(shell === 'fish' ? fishScript(all) : bashScript(shell, all));
  return 0;
}

type Words = Awaited<ReturnType<typeof allWords>>;

async function allWords() {
  const { profiles } = await import('../../../contracts/profiles.ts');
  const { mockDefects, usableClientDefects } = await import('../../faults/index.ts');
  return commandNames.map((name) => {
    const defects = name === 'client' ? usableClientDefects : mockDefects;
    const named: Readonly<Record<string, readonly string[]>> = {
      profile: profiles.map((profile) => profile.name),
      set: setNames,
      defect: defects.map(({ id }) => id),
    };
    const options = optionsOf(name).map((option) => ({ ...option, choices: option.choices ?? named[option.name] }));
    return { name, options };
  });
}

/** One script for bash and zsh, because zsh can run bash functions. Completes file names if there are no choices. */
function bashScript(shell: 'bash' | 'zsh', all: Words): string {
  const cases = all.map(({ name, options }) => {
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

function fishScript(all: Words): string {
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
