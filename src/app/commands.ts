/** Every command by name. The list is what `--help` needs; a command's own module is loaded only when it is asked for. */
import type { Command } from 'commander';
import type { CommandSurroundings } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does that may take more than two seconds: who waits at a terminal is told so before it begins. */
  readonly work?: string;
  /** Loads the module and builds the command with its options. */
  readonly load: () => Promise<(surroundings: CommandSurroundings) => Command>;
}

/** In the order in which `--help` shows them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'gateway',
    summary: 'run the suite against a gateway or the built-in mock',
    work: 'starting the engine',
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand,
  },
  {
    name: 'client',
    summary: 'certify a client in any language through its adapter',
    work: 'greeting the adapter and starting the engine',
    load: async () => (await import('./commands/client.ts')).clientCommand,
  },
  {
    name: 'merge',
    summary: 'put the shards of a run together, and conclude over all of them',
    work: 'reading the shards',
    load: async () => (await import('./commands/merge.ts')).mergeCommand,
  },
  {
    name: 'desk',
    summary: 'start a local gateway with a page for clients without an adapter',
    load: async () => (await import('./commands/desk.ts')).deskCommand,
  },
  {
    name: 'judge',
    summary: 'judge recorded traffic: HAR files and earlier runs',
    work: 'judging the recorded exchanges',
    load: async () => (await import('./commands/judge.ts')).judgeCommand,
  },
  {
    name: 'report',
    summary: 'show the page of a stored run in a browser',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  {
    name: 'diff',
    summary: 'compare two runs: may the new one take the place of the old one?',
    work: 'reading and comparing the runs',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  {
    name: 'history',
    summary: 'show what changed when, from stored runs',
    work: 'reading the stored runs',
    load: async () => (await import('./commands/history.ts')).historyCommand,
  },
  {
    name: 'matrix',
    summary: 'run many clients and gateways, and keep a page of who conforms, with what changed',
    load: async () => (await import('./commands/matrix.ts')).matrixCommand,
  },
  {
    name: 'rekey',
    summary: 'copy a run so that it can be shared: anonymised, signed again, with the same verdicts',
    work: 'reading the run',
    load: async () => (await import('./commands/rekey.ts')).rekeyCommand,
  },
  {
    name: 'certificate',
    summary: 'sign what a run found, for others to check without a network',
    load: async () => (await import('./commands/certificate.ts')).certificateCommand,
  },
  {
    name: 'verify',
    summary: 'check a certificate: signature, expiry, evidence, and the verdicts once more',
    work: 'checking the certificate and judging its exchanges again',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  {
    name: 'mock',
    summary: 'start a conforming local gateway that says why it refuses a request',
    load: async () => (await import('./commands/mock.ts')).mockCommand,
  },
  {
    name: 'doctor',
    summary: 'find what is wrong with a live target or its configuration before any verdict',
    work: 'examining the target',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'init',
    summary: 'write a commented configuration for a live target',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    name: 'agent-skill',
    summary: 'write a skill file for a coding agent: what to run, and what never to run unasked',
    load: async () => (await import('./commands/agent-skill.ts')).agentSkillCommand,
  },
  {
    name: 'autopsy',
    summary: 'find out why the signature of a recorded request is refused',
    load: async () => (await import('./commands/autopsy.ts')).autopsyCommand,
  },
  {
    name: 'list',
    summary: 'list requirements, open points, defects, variants, profiles or deviations of signing',
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  {
    name: 'explain',
    summary: 'describe a requirement, an open point, a defect, a variant, a profile or a deviation of signing',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
];
