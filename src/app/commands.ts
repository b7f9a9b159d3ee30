/** All commands, for `--help` and the reference. The module of a command is loaded only when the command runs. */
import { join } from 'node:path';
import type { Command } from './command.ts';

const verdictExits = { 0: 'conformant', 1: 'findings' };
const serverExits = { 0: 'ended by a signal' };

const table: Readonly<Record<string, Omit<Command, 'name'>>> = {
  gateway: {
    summary: 'Runs the suite against a gateway or the built-in mock, and writes a report.',
    work: 'starting the engine',
    examples: [
      'gateway',
      'gateway --config countersign.config.yaml --dry-run',
      'gateway --target http://127.0.0.1:8080 --allow closes-day=1 --allow starts-payments=2/2.00',
    ],
    exits: verdictExits,
    load: async () => (await import('./commands/gateway.ts')).run,
  },
  client: {
    summary: 'Judges what a client sends, and how it reads answers, through an adapter.',
    work: 'starting the adapter and the engine',
    operands: [{ takes: '[command...]', help: 'command of the adapter and its arguments, after --' }],
    examples: [
      'client -- node adapters/node/adapter.mjs',
      'client --one-shot -- adapters/shell/adapter.sh',
      'client --check-adapter -- python3 adapter.py',
    ],
    exits: { ...verdictExits, 3: 'a fault of the suite, the adapter or the environment' },
    load: async () => (await import('./commands/client.ts')).run,
  },
  merge: {
    summary: 'Joins the shards of one run, and judges them together.',
    work: 'reading the shards',
    operands: [{ takes: '<dir...>', help: 'folders of the shards, in any order' }],
    examples: [
      'gateway --seed 7 --shard 1/2 --out shards/1',
      'gateway --seed 7 --shard 2/2 --out shards/2',
      'merge shards/1 shards/2 --out merged',
    ],
    exits: { ...verdictExits, 2: 'wrong use, or the run is incomplete' },
    load: async () => (await import('./commands/judge.ts')).merge,
  },
  desk: {
    summary: 'Starts a local gateway for clients without an adapter, with a page of findings.',
    examples: ['desk', 'desk --port 8080 --plain-http --state my-client.jsonl'],
    exits: serverExits,
    load: async () => (await import('./commands/desk.ts')).run,
  },
  judge: {
    summary: 'Judges HAR files and stored runs, and sends nothing.',
    details: 'A requirement that the recording cannot show is inconclusive.',
    notes: 'Without keys, signatures are not verified. Requests of the published test identity need no keys.',
    work: 'judging the recorded exchanges',
    operands: [{ takes: '<file...>', help: 'HAR files, or folders of runs' }],
    examples: [
      'judge traffic.har --consumer-secret-file secret.txt --public-key-file key.pub.pem',
      'judge reports/runs/2026-01-31T12-00-00-000Z-client',
    ],
    exits: { ...verdictExits, 1: 'findings, or something is inconclusive' },
    load: async () => (await import('./commands/judge.ts')).run,
  },
  report: {
    summary: 'Serves the page of a stored run on 127.0.0.1, or writes it to a file.',
    operands: [{ takes: '<run>', help: 'folder of the run, or its report.json' }],
    examples: ['report reports/runs/4.12 --open', 'report reports/runs/4.12 --out report.html'],
    load: async () => (await import('./commands/report.ts')).run,
  },
  diff: {
    summary: 'Compares two runs, and says whether NEW may replace OLD.',
    details:
      'With --clients, clients read the stored answers of both runs. With --target or --config, diff also sends requests of these clients to the gateway.',
    work: 'reading and comparing the runs',
    operands: [
      { takes: '<old>', help: 'run before the change: its folder or report.json' },
      { takes: '<new>', help: 'run after the change' },
    ],
    examples: [
      'diff runs/4.11 runs/4.12',
      'diff runs/4.11 runs/4.12 --clients clients --config countersign.config.yaml',
      'diff runs/4.11 runs/4.12 --policy policy.yaml --markdown >> "$GITHUB_STEP_SUMMARY"',
    ],
    exits: {
      0: 'safe',
      1: 'NEW breaks something, or not everything was compared',
      3: 'a fault of the suite or the environment, or the command was interrupted',
    },
    load: async () => (await import('./commands/diff.ts')).run,
  },
  history: {
    summary: 'Shows what changed between stored runs, and when.',
    work: 'reading the stored runs',
    operands: [{ takes: '[dir]', help: 'folder that contains the folders of runs', usual: join('reports', 'runs') }],
    examples: ['history reports/runs'],
    load: async () => (await import('./commands/history.ts')).run,
  },
  matrix: {
    summary: 'Runs many clients and gateways, and writes a page with their verdicts.',
    details: 'Creates or extends a folder with index.html, matrix.json and reports.',
    operands: [{ takes: '<file>', help: 'YAML file that lists clients and gateways (schemas/files/matrix-plan.json)' }],
    examples: ['matrix matrix.yaml --out public', 'matrix matrix.yaml --out public --only our-client'],
    exits: {
      0: 'every cell is conformant or unsupported, and at least one is conformant',
      1: 'findings',
      3: 'a cell could not be run, no cell was run, or the command was interrupted',
    },
    load: async () => (await import('./commands/matrix.ts')).run,
  },
  rekey: {
    summary: 'Copies a run for sharing: replaces ids, hosts, people and times, and keeps the verdicts.',
    details: 'It signs the copy with the published test keys.',
    notes:
      'Without the original keys, rekey cannot distinguish valid signatures from wrong ones. Requests of the published test identity need no keys.',
    work: 'reading the run',
    operands: [{ takes: '<file...>', help: 'HAR files, or folders of runs' }],
    examples: ['rekey reports/runs/RUN --consumer-secret-file secret.txt --public-key-file key.pub.pem --out shared'],
    exits: { 0: 'same verdicts', 1: 'other verdicts', 3: 'original values remain in the copy' },
    load: async () => (await import('./commands/rekey.ts')).run,
  },
  certificate: {
    summary: 'Judges a run again, and signs the result, so that others can check it offline.',
    details: 'The certificate of a failed run says FAILED. A partial, aborted or narrowed run gets no certificate.',
    operands: [{ takes: '[run]', help: 'folder of the run' }],
    examples: [
      'certificate --new-key keys/shop.pem',
      'certificate reports/runs/RUN --key keys/shop.pem --artifact client.jar',
    ],
    exits: { 0: 'passed', 1: 'failed or refused' },
    load: async () => (await import('./commands/certificate.ts')).run,
  },
  verify: {
    summary: 'Checks a certificate offline (signature, expiry, suite), and judges its evidence again.',
    work: 'checking the certificate and judging its exchanges again',
    operands: [{ takes: '<file>', help: 'the certificate' }],
    examples: [
      'verify RUN/certificate.json --key countersign-key.pub.pem',
      'verify certificate.json --key shop.pub.pem --artifact client.jar --challenge 2026-11-22.7f3a',
    ],
    exits: { 0: 'genuine and passed', 1: 'refused or failed', 2: 'wrong use or no certificate' },
    load: async () => (await import('./commands/certificate.ts')).verify,
  },
  mock: {
    summary: 'Starts a conforming local gateway that explains why it refuses a request.',
    details: 'It uses the published test identity, and prints its endpoints.',
    notes: `The control interface is JSON over HTTP. Each POST needs the content type application/json.
GET / lists its routes. GET /state and GET /counters show the state.
POST /endpoints/<id>/gates/<gateId>/closing, lock, remove-lock or close-by-hand
changes a gate. POST /endpoints/<id>/next-answer scripts an answer.
POST /profiles/<id>/stop or finish-date ends a recurring profile.
POST /reset starts again.`,
    examples: [
      'mock --port 8080',
      'mock --tls --control-port 8081',
      'mock --json --consumer-key shop --consumer-secret-file secret.txt --public-key-file key.pub.pem',
    ],
    exits: serverExits,
    load: async () => (await import('./commands/mock.ts')).run,
  },
  doctor: {
    summary: 'Checks configuration, keys, connection, certificate, base URL and clock of a live target.',
    details: 'If effects are allowed, it checks the signatures with one close-day and one payment.',
    work: 'examining the target',
    examples: ['doctor --config countersign.config.yaml'],
    exits: {
      0: 'no problem',
      1: 'a problem, or something could not be checked',
      2: 'wrong use or configuration',
      3: 'the target was not reached or not trusted, or the command was interrupted',
    },
    load: async () => (await import('./commands/doctor.ts')).run,
  },
  init: {
    summary: 'Writes a commented configuration that allows no effects, or an adapter to start from.',
    operands: [{ takes: '[what]', help: 'what to write', choices: ['config', 'adapter'], usual: 'config' }],
    examples: ['init --out integration.yaml', 'init adapter --language go'],
    load: async () => (await import('./commands/init.ts')).run,
  },
  'agent-skill': {
    summary: 'Writes a skill file that says what a coding agent may run, and what it may run only on request.',
    examples: ['agent-skill --out SKILL.md'],
    load: async () => (await import('./commands/init.ts')).agentSkill,
  },
  autopsy: {
    summary: 'Finds out why the signature of a recorded request is wrong, and sends nothing.',
    notes: 'Without key files, it uses the published keys for requests of the published test identity.',
    operands: [{ takes: '[file]', help: 'the request as HTTP text, or a HAR file; - for standard input' }],
    examples: [
      'autopsy refused.txt --consumer-secret-file secret.txt --language php',
      'autopsy reports/runs/RUN/exchanges.har',
      'autopsy reports/runs/RUN/exchanges.har --entry 3 --json',
      'autopsy --page',
    ],
    exits: { 0: 'correct signature', 1: 'wrong signature, or signature not verified' },
    load: async () => (await import('./commands/autopsy.ts')).run,
  },
  list: {
    summary: 'Lists requirements, open points, hazards, defects, variants, profiles or deviations.',
    operands: [
      {
        takes: '[what]',
        help: 'which list',
        choices: ['requirements', 'open-points', 'hazards', 'defects', 'variants', 'profiles', 'deviations'],
        usual: 'requirements',
      },
    ],
    examples: ['list defects --json', 'list open-points --run reports/runs'],
    load: async () => (await import('./commands/catalogue.ts')).list,
  },
  completion: {
    summary: 'Prints a script that completes commands and options in a shell.',
    operands: [{ takes: '<shell>', help: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    examples: ['completion bash >> ~/.bashrc', 'completion fish | source'],
    load: async () => (await import('./commands/completion.ts')).run,
  },
  explain: {
    summary: 'Describes one requirement, open point, hazard, defect, variant, profile or deviation.',
    operands: [{ takes: '<id>', help: 'for example authentication/version, A3 or rfc5849' }],
    examples: ['explain authentication/version', 'explain A3'],
    exits: { 2: 'wrong use or unknown id' },
    load: async () => (await import('./commands/catalogue.ts')).explain,
  },
};

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = Object.entries(table).map(([name, command]) => ({ name, ...command }));
