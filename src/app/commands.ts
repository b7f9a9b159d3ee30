/** All commands by name. `--help` needs only this list; a command's module is loaded on demand. */
import type { DefinedCommand } from './command.ts';

type Load = () => Promise<DefinedCommand>;

/** In the order of `--help`. */
const table: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  gateway: [
    'run the suite against a gateway or the built-in mock',
    async () => (await import('./commands/gateway.ts')).command,
  ],
  client: [
    'certify a client in any language through its adapter',
    async () => (await import('./commands/client.ts')).command,
  ],
  merge: [
    'put the shards of a run together, and conclude over all of them',
    async () => (await import('./commands/merge.ts')).command,
  ],
  desk: [
    'start a local gateway with a page for clients without an adapter',
    async () => (await import('./commands/desk.ts')).command,
  ],
  judge: [
    'judge recorded traffic: HAR files and earlier runs',
    async () => (await import('./commands/judge.ts')).command,
  ],
  report: ['show the page of a stored run in a browser', async () => (await import('./commands/report.ts')).command],
  diff: [
    'compare two runs: may the new one take the place of the old one?',
    async () => (await import('./commands/diff.ts')).command,
  ],
  history: ['show what changed when, from stored runs', async () => (await import('./commands/history.ts')).command],
  matrix: [
    'run many clients and gateways, and keep a page of who conforms, with what changed',
    async () => (await import('./commands/matrix.ts')).command,
  ],
  rekey: [
    'copy a run so that it can be shared: anonymised, signed again, with the same verdicts',
    async () => (await import('./commands/rekey.ts')).command,
  ],
  certificate: [
    'sign what a run found, for others to check without a network',
    async () => (await import('./commands/certificate.ts')).command,
  ],
  verify: [
    'check a certificate: signature, expiry, evidence, and the verdicts once more',
    async () => (await import('./commands/certificate.ts')).verify,
  ],
  mock: [
    'start a conforming local gateway that says why it refuses a request',
    async () => (await import('./commands/mock.ts')).command,
  ],
  doctor: [
    'find what is wrong with a live target or its configuration before any verdict',
    async () => (await import('./commands/doctor.ts')).command,
  ],
  init: ['write a commented configuration for a live target', async () => (await import('./commands/init.ts')).command],
  'agent-skill': [
    'write a skill file for a coding agent: what to run, and what never to run unasked',
    async () => (await import('./commands/init.ts')).agentSkill,
  ],
  autopsy: [
    'find out why the signature of a recorded request is refused',
    async () => (await import('./commands/autopsy.ts')).command,
  ],
  list: [
    'list requirements, open points, defects, variants, profiles or deviations of signing',
    async () => (await import('./commands/catalogue.ts')).list,
  ],
  completion: [
    'print a script that completes commands and options in a shell',
    async () => (await import('./commands/completion.ts')).command,
  ],
  explain: [
    'describe a requirement, an open point, a defect, a variant, a profile or a deviation of signing',
    async () => (await import('./commands/catalogue.ts')).explain,
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
