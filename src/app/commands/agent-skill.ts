/** `countersign agent-skill`: writes a skill file for a coding agent: what to run, how to read it, and what never to run unasked. */

import { printedJson } from '../../report/visible.ts';
import { defineCommand, type Given, type Surroundings } from '../command.ts';
import { writeFresh } from '../given-files.ts';
import { templateOf } from './init.ts';

export const command = defineCommand({
  name: 'agent-skill',
  description: 'Writes a skill file for a coding agent.',
  examples: ['countersign agent-skill --out SKILL.md'],
  exits: '0 written, 2 wrong use, 3 a fault of the suite or the environment.',
  run: async ({ out, force, json }: Given<'agent-skill'>, surroundings: Surroundings) => {
    await writeFresh(out, await templateOf('SKILL.md'), force === true);
    if (json) surroundings.out(printedJson({ written: [out] }));
    else surroundings.err(`countersign: ${out} is written. Put it where your agent looks for skills.\n`);
    return 0;
  },
});
