/** Every command by name. The list is what `--help` needs; a command's own module is loaded only when it is asked for. */
import type { DefinedCommand } from './command.ts';

type Load = () => Promise<{ readonly command: DefinedCommand }>;

/** One line for the list of commands, in the order in which `--help` shows them. */
const table: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  gateway: ['run the suite against a gateway or the built-in mock', () => import('./commands/gateway.ts')],
  client: ['certify a client in any language through its adapter', () => import('./commands/client.ts')],
  merge: ['put the shards of a run together, and conclude over all of them', () => import('./commands/merge.ts')],
  desk: ['start a local gateway with a page for clients without an adapter', () => import('./commands/desk.ts')],
  judge: ['judge recorded traffic: HAR files and earlier runs', () => import('./commands/judge.ts')],
  report: ['show the page of a stored run in a browser', () => import('./commands/report.ts')],
  diff: ['compare two runs: may the new one take the place of the old one?', () => import('./commands/diff.ts')],
  history: ['show what changed when, from stored runs', () => import('./commands/history.ts')],
  matrix: [
    'run many clients and gateways, and keep a page of who conforms, with what changed',
    () => import('./commands/matrix.ts'),
  ],
  rekey: [
    'copy a run so that it can be shared: anonymised, signed again, with the same verdicts',
    () => import('./commands/rekey.ts'),
  ],
  certificate: [
    'sign what a run found, for others to check without a network',
    () => import('./commands/certificate.ts'),
  ],
  verify: [
    'check a certificate: signature, expiry, evidence, and the verdicts once more',
    () => import('./commands/verify.ts'),
  ],
  mock: ['start a conforming local gateway that says why it refuses a request', () => import('./commands/mock.ts')],
  doctor: [
    'find what is wrong with a live target or its configuration before any verdict',
    () => import('./commands/doctor.ts'),
  ],
  init: ['write a commented configuration for a live target', () => import('./commands/init.ts')],
  'agent-skill': [
    'write a skill file for a coding agent: what to run, and what never to run unasked',
    () => import('./commands/agent-skill.ts'),
  ],
  autopsy: ['find out why the signature of a recorded request is refused', () => import('./commands/autopsy.ts')],
  list: [
    'list requirements, open points, defects, variants, profiles or deviations of signing',
    () => import('./commands/list.ts'),
  ],
  completion: [
    'print a script that completes commands and options in a shell',
    () => import('./commands/completion.ts'),
  ],
  explain: [
    'describe a requirement, an open point, a defect, a variant, a profile or a deviation of signing',
    () => import('./commands/explain.ts'),
  ],
};

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: Load;
}

export const commands: readonly CommandEntry[] = Object.entries(table).map(([name, [summary, load]]) => ({
  name,
  summary,
  load,
}));
