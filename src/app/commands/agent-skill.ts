/** `countersign agent-skill`: writes a skill file for a coding agent: what to run, how to read it, and what never to run unasked. */
import { Command } from 'commander';
import { printedJson } from '../../report/visible.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { skill } from '../text/agent-skill-text.ts';
import { writeFresh } from './init.ts';

export function agentSkillCommand(surroundings: CommandSurroundings): Command {
  return new Command('agent-skill')
    .description(
      'Writes a skill file for a coding agent: what to run, how to read the answer, and what never to run unless a person allows it.',
    )
    .option('--out <file>', 'where to write it', 'SKILL.md')
    .option('--force', 'overwrite an existing file')
    .option('--json', 'print one JSON object in place of the text')
    .addHelpText('after', '\nExample:\n  countersign agent-skill --out SKILL.md')
    .action(async ({ out, force, json }: { out: string; force?: true; json?: true }) => {
      await writeFresh(out, skill, force === true);
      if (json) surroundings.out(printedJson({ written: [out] }));
      else surroundings.err(`countersign: ${out} is written. Put it where your agent looks for skills.\n`);
    });
}
