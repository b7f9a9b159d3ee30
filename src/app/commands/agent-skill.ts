/** `countersign agent-skill`: writes a skill file for a coding agent: what to run, how to read it, and what never to run unasked. */

import { printedJson } from '../../report/visible.ts';
import { defineCommand, type Given, option, type Surroundings, toggle } from '../command.ts';
import { templateOf, writeFresh } from './init.ts';

const flags = {
  out: option<string>('<file>', 'where to write it', (made) => made.default('SKILL.md')),
  force: toggle('overwrite an existing file'),
  json: toggle('print one JSON object in place of the text'),
};

export const command = defineCommand({
  description:
    'Writes a skill file for a coding agent: what to run, how to read the answer, and what never to run unless a person allows it.',
  flags,
  help: '\nExample:\n  countersign agent-skill --out SKILL.md',
  run: async ({ out, force, json }: Given<typeof flags>, surroundings: Surroundings) => {
    await writeFresh(out, await templateOf('SKILL.md'), force === true);
    if (json) surroundings.out(printedJson({ written: [out] }));
    else surroundings.err(`countersign: ${out} is written. Put it where your agent looks for skills.\n`);
    return 0;
  },
});
