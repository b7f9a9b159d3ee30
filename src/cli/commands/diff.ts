/** `countersign diff`: may the run NEW take the place of the run OLD? */
import { Command } from 'commander';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { diffJson } from '../../diff/diff-json.ts';
import { diffMarkdown } from '../../diff/diff-markdown.ts';
import { diffRuns } from '../../diff/diff-runs.ts';
import { diffText } from '../../diff/diff-text.ts';
import type { Impact } from '../../diff/difference.ts';
import { type DiffPolicy, defaultPolicy } from '../../diff/policy.ts';
import { askClients, type StoredClient } from '../../impact/ask-clients.ts';
import { matchesAny } from '../../options/selection.ts';
import { visible } from '../../report/visible.ts';
import { type OpenedRun, openRun, refuseIncomparable } from '../config/compared-run.ts';
import { readPolicy } from '../config/diff-policy.ts';
import { shellWord } from '../config/run-flags.ts';
import { readStoredClients } from '../config/stored-clients.ts';
import { unlessInterrupted } from '../interrupt.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';

interface GivenOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly clients?: string;
}

export function diffCommand(surroundings: CommandSurroundings): Command {
  return new Command('diff')
    .description(
      'Compares two runs of gateways, or of clients, and says first whether NEW may take the place of OLD: safe, breaks or not known. ' +
        'Then follows what changed. Nothing is sent, but what --clients starts gets answers on this machine.',
    )
    .argument('<old>', 'folder of the run before the change, or its report.json')
    .argument('<new>', 'folder of the run after it, or its report.json')
    .option('--policy <file>', 'YAML file that says which changes are allowed, risky or forbidden where both runs pass')
    .option('--clients <dir>', 'folder with stored clients: starts their adapters, and says which of them NEW breaks')
    .option('--json', 'print the comparison as JSON (schemas/files/diff.json)')
    .option('--markdown', 'print it as Markdown for a pull request')
    .addHelpText(
      'after',
      '\nWhat one run determined and the other did not is neither fixed nor broken.\n' +
        '\nExamples:\n  countersign diff runs/4.11 runs/4.12\n' +
        '  countersign diff runs/4.11 runs/4.12 --clients clients\n' +
        '  countersign diff runs/4.11 runs/4.12 --policy policy.yaml --markdown >> "$GITHUB_STEP_SUMMARY"\n' +
        '\nExit codes: 0 safe, 1 breaks or not known, 2 wrong use, 3 a fault of the suite or the environment, or interrupted.',
    )
    .action(async (old: string, fresh: string, given: GivenOptions) => {
      surroundings.setExitCode(await compare(old, fresh, given, surroundings));
    });
}

async function compare(
  oldPath: string,
  newPath: string,
  given: GivenOptions,
  { out, err, colour, width = 100 }: CommandSurroundings,
): Promise<0 | 1 | 3> {
  if (given.json && given.markdown) {
    throw new UsageError('bad-arguments', '--json and --markdown exclude one another', { hint: 'Leave one out.' });
  }
  const policy = given.policy === undefined ? undefined : await readPolicy(given.policy);
  const clients = given.clients === undefined ? undefined : await readStoredClients(given.clients, process.cwd());
  const old = await openRun(oldPath);
  try {
    const fresh = await openRun(newPath);
    try {
      await refuseIncomparable(old, fresh);
      const impact = clients && (await impactOn(clients, { old, fresh, policy: policy ?? defaultPolicy }, err));
      if (impact === 'interrupted') return 3;
      const difference = diffRuns(old, fresh, {
        selects: matchesAny,
        statementOf: (id) => requirementById(id)?.statement,
        policy,
        impact,
      });
      out(
        given.json
          ? diffJson(difference)
          : given.markdown
            ? diffMarkdown(difference)
            : diffText(difference, { colour, width }),
      );
      return difference.verdict === 'safe' ? 0 : 1;
    } finally {
      await fresh.close();
    }
  } finally {
    await old.close();
  }
}

/** Each command is named before it is started. Throws UsageError where the runs have no answers to give. */
async function impactOn(
  clients: readonly StoredClient[],
  runs: { readonly old: OpenedRun; readonly fresh: OpenedRun; readonly policy: DiffPolicy },
  err: (text: string) => void,
): Promise<Impact | 'interrupted'> {
  if (runs.old.result.subject.kind !== 'gateway') {
    throw new UsageError('bad-arguments', '--clients needs two runs of gateways', { hint: 'Leave it out.' });
  }
  const without = [runs.old, runs.fresh].find(({ cases }) => cases === undefined);
  if (without !== undefined) {
    throw new UsageError('bad-arguments', `--clients needs answers, and ${without.path} has no exchanges.har`, {
      hint: 'Give the folders of both runs, with their exchanges.',
    });
  }
  for (const client of clients) if ('options' in client) err(`countersign: ${startOf(client)}\n`);
  const asked = await unlessInterrupted((signal) => askClients(clients, runs, signal));
  if (asked !== 'interrupted') return asked.done;
  err('countersign: interrupted before all clients were asked. Start it again to have the matrix.\n');
  return 'interrupted';
}

function startOf({ name, options }: Extract<StoredClient, { readonly options: unknown }>): string {
  const { command, cwd, defects = [] } = options;
  if (command.length === 0) return visible(`${name} is the built-in client with ${defects.join(', ')}`);
  return visible(`${name} is started in ${cwd}: ${command.map(shellWord).join(' ')}`);
}
