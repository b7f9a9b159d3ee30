/** `countersign diff`: may the run NEW take the place of the run OLD? */
import { Command } from 'commander';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { diffJson } from '../../diff/diff-json.ts';
import { diffMarkdown } from '../../diff/diff-markdown.ts';
import { diffRuns } from '../../diff/diff-runs.ts';
import { diffText } from '../../diff/diff-text.ts';
import { matchesAny } from '../../options/selection.ts';
import { openRun, refuseIncomparable } from '../config/compared-run.ts';
import { readPolicy } from '../config/diff-policy.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';

interface GivenOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

export function diffCommand(surroundings: CommandSurroundings): Command {
  return new Command('diff')
    .description(
      'Compares two runs of gateways, or of clients, and says first whether NEW may take the place of OLD: safe, breaks or not known. ' +
        'Then follows what changed. Nothing is sent.',
    )
    .argument('<old>', 'folder of the run before the change, or its report.json')
    .argument('<new>', 'folder of the run after it, or its report.json')
    .option('--policy <file>', 'YAML file that says which changes are allowed, risky or forbidden where both runs pass')
    .option('--json', 'print the comparison as JSON (schemas/files/diff.json)')
    .option('--markdown', 'print it as Markdown for a pull request')
    .addHelpText(
      'after',
      '\nWhat one run determined and the other did not is neither fixed nor broken.\n' +
        '\nExamples:\n  countersign diff runs/4.11 runs/4.12\n' +
        '  countersign diff runs/4.11 runs/4.12 --policy policy.yaml --markdown >> "$GITHUB_STEP_SUMMARY"\n' +
        '\nExit codes: 0 safe, 1 breaks or not known, 2 wrong use, 3 a fault of the suite or the environment.',
    )
    .action(async (old: string, fresh: string, given: GivenOptions) => {
      surroundings.setExitCode(await compare(old, fresh, given, surroundings));
    });
}

async function compare(
  oldPath: string,
  newPath: string,
  given: GivenOptions,
  { out, colour, width = 100 }: CommandSurroundings,
): Promise<0 | 1> {
  if (given.json && given.markdown) {
    throw new UsageError('bad-arguments', '--json and --markdown exclude one another', { hint: 'Leave one out.' });
  }
  const policy = given.policy === undefined ? undefined : await readPolicy(given.policy);
  const old = await openRun(oldPath);
  try {
    const fresh = await openRun(newPath);
    try {
      await refuseIncomparable(old, fresh);
      const difference = diffRuns(old, fresh, {
        selects: matchesAny,
        statementOf: (id) => requirementById(id)?.statement,
        ...(policy === undefined ? {} : { policy }),
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
