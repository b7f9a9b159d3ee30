/** `countersign mock`: a local gateway that behaves, and that says why it refuses what a real one refuses in silence. */
import { Command, InvalidArgumentError } from 'commander';
import type { Alteration, LogEntry, RunningMock } from '../../mock/index.ts';
import type { LostConnection } from '../../mock/listener.ts';
import { readPublicKey } from '../../protocol/index.ts';
import { hostOption, type IdentityOptions, type MockIdentity, openIdentity } from '../config/mock-identity.ts';
import type { CommandSurroundings } from '../surroundings.ts';
import { type GreetingOptions, greeting } from '../text/mock-greeting.ts';
import { UsageError } from '../usage-error.ts';

interface MockCommandOptions extends IdentityOptions, GreetingOptions {
  readonly port: number;
  readonly host: string;
  readonly controlPort?: number;
  readonly prefix?: string;
  readonly like?: string;
}

export function mockCommand(surroundings: CommandSurroundings): Command {
  return new Command('mock')
    .description(
      'Starts a local gateway with both operations. Without options its identity is the published test identity, ' +
        'whose secret and private key it puts into files. Endpoint 1111 is open, 1112 closing, 1113 locked, 1114 has three gates.',
    )
    .option('--port <n>', 'port on 127.0.0.1, 0 for any free one', portOf, 0)
    .addOption(hostOption())
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .option('--tls', 'speak HTTPS with a certificate of a new authority, which it puts into a file')
    .option(
      '--control-port <n>',
      'port of the control interface on 127.0.0.1, 0 for any free one (--json always starts it)',
      portOf,
    )
    .option('--public-url <url>', 'base URL that clients use, where a proxy or a tunnel is in front')
    .option('--consumer-key <key>', 'oauth_consumer_key of the client')
    .option('--consumer-secret-file <file>', 'file with the secret for HMAC-SHA1')
    .option('--public-key-file <file>', 'PEM file with the RSA public key of the client')
    .option('--endpoint <id>', 'a further endpoint with one open gate')
    .option('--prefix <path>', 'path before /api/, such as /paynet')
    .option('--defect <id...>', 'misbehave on purpose (countersign list defects)')
    .option('--variant <id...>', 'behave in another permitted way (countersign list variants)')
    .option('--like <run>', 'answer as the gateway of a stored run did, as far as variants and measured limits go')
    .addHelpText('after', help)
    .action((options: MockCommandOptions) => serve(options, surroundings));
}

const help = `
The control interface is JSON over HTTP, every POST as application/json:
GET / lists its routes, GET /state and GET /counters show what is,
POST /endpoints/<id>/gates/<gateId>/closing, lock, remove-lock or
close-by-hand move a gate, POST /endpoints/<id>/next-answer scripts an answer,
POST /profiles/<id>/stop or finish-date ends a recurring profile,
POST /reset starts again.

Examples:
  countersign mock --port 8080
  countersign mock --tls --control-port 8081
  countersign mock --json --consumer-key shop --consumer-secret-file secret.txt --public-key-file key.pub.pem`;

/** Runs until it is interrupted. */
async function serve(options: MockCommandOptions, surroundings: CommandSurroundings): Promise<void> {
  const interrupted = surroundings.interrupted();
  const identity = await openIdentity(options, surroundings);
  try {
    const mock = await start(options, identity, surroundings);
    try {
      surroundings[options.json ? 'out' : 'err'](await greeting(options, identity, mock, surroundings));
      await aborted(interrupted);
    } finally {
      await mock.close();
    }
  } finally {
    identity.remove();
  }
}

async function start(
  options: MockCommandOptions,
  { consumer, tls }: MockIdentity,
  surroundings: CommandSurroundings,
): Promise<RunningMock> {
  const { MockError, addEndpoint, defaultWorld, newGate, startMock } = await import('../../mock/index.ts');
  const { whyLost } = await import('../../mock/listener.ts');
  const { requestLine } = await import('../text/request-line.ts');
  const { explainSignature } = await import('../text/explain-signature.ts');
  const { publicKeyPem } = consumer;
  const keys = { ...consumer, ...(publicKeyPem !== undefined && { publicKey: readPublicKey(publicKeyPem) }) };
  const world = defaultWorld({ consumers: [consumer] });
  const endpointId = endpointOf(options.endpoint);
  if (endpointId !== undefined) addEndpoint(world, endpointId, [newGate('7101', gateEndpoint(endpointId))]);
  const about = { server: 'mock', caFile: tls?.caFile ?? '', plain: 'without --tls' };
  const lose = (lost: LostConnection): void => surroundings.err(`${lost.client}: ${whyLost(lost, about)}\n`);
  const print = (entry: LogEntry): void => surroundings.out(`${requestLine(entry, Date.now(), surroundings.colour)}\n`);
  try {
    return await startMock({
      port: options.port,
      host: options.host,
      world,
      tls,
      control: options.json || options.controlPort !== undefined ? { port: options.controlPort ?? 0 } : undefined,
      alterations: [...(await alterationsLike(options.like, surroundings.err)), ...(await alterationsOf(options))],
      ...(options.prefix === undefined ? {} : { prefix: normalizedPrefix(options.prefix) }),
      publicUrl: options.publicUrl,
      // Whoever asks for JSON reads one line; more of them would fill a pipe that is not read and stop the mock.
      ...(options.json
        ? {}
        : { log: print, onLost: lose, explainSignature: (request) => explainSignature(request, keys) }),
    });
  } catch (cause) {
    if (!(cause instanceof MockError)) throw cause;
    const given = { 'bad-public-url': options.publicUrl, 'bad-prefix': options.prefix }[cause.code as string];
    const message = given === undefined ? cause.message : `${cause.message}: ${given}`;
    throw new UsageError('bad-value', message, {
      hint: `${cause.hint[0]?.toUpperCase()}${cause.hint.slice(1)}.`,
      cause,
    });
  }
}

/** The alterations of the named defects and variants, defects first. */
async function alterationsOf({ defect = [], variant = [] }: MockCommandOptions): Promise<Alteration[]> {
  if (defect.length === 0 && variant.length === 0) return [];
  const { mockDefects } = await import('../../faults/index.ts');
  const { variants } = await import('../../faults/variants.ts');
  const { unknown } = await import('../config/run-flags.ts');
  const { unknownDefect } = await import('../config/unknown-defect.ts');
  return [
    ...defect.map((id) => named(id, mockDefects, (known) => unknownDefect('gateway', id, known)).alteration),
    ...variant.map((id) => named(id, variants, (known) => unknown('variant', id, known, allVariants)).alteration),
  ];
}

/** Throws UsageError. */
async function alterationsLike(run: string | undefined, err: (text: string) => void): Promise<Alteration[]> {
  if (run === undefined) return [];
  const { withReplayed } = await import('../config/recording-files.ts');
  const { likeIn, settingsLike } = await import('../../verdict/recordings/mock-likeness.ts');
  const { variants, alike, compared, settings } = await withReplayed(run, (cases, { measured }) => ({
    ...likeIn(cases),
    settings: settingsLike(measured?.limits ?? []),
  }));
  const ids = variants.map(({ id }) => id).join(' ');
  err(
    `countersign: of ${compared} answers in ${run} the mock gives ${alike[0]} alike${ids === '' ? '' : `, and ${alike[1]} with --variant ${ids}`}.\n`,
  );
  return [...variants.map(({ alteration }) => alteration), settings];
}

const allVariants = 'countersign list variants names them all';

function named<T extends { readonly id: string }>(
  id: string,
  all: readonly T[],
  refusal: (known: readonly string[]) => UsageError,
): T {
  const found = all.find((entry) => entry.id === id);
  if (found === undefined) throw refusal(all.map((entry) => entry.id));
  return found;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  }
  return port;
}

function endpointOf(text: string | undefined): string | undefined {
  if (text === undefined || /^(?!\.{1,2}$)[\w.~-]+$/.test(text)) return text;
  throw new UsageError('bad-value', `${text} is not an endpoint id for --endpoint`, {
    hint: 'It is one segment of the path, such as 1111.',
  });
}

/** epntId is a long (2.2): an id that is none cannot be there. */
function gateEndpoint(endpointId: string): string {
  return /^[1-9]\d{0,17}$/.test(endpointId) ? endpointId : '1111';
}

function normalizedPrefix(text: string): string {
  const bare = text.replace(/\/+$/, '');
  return bare === '' || bare.startsWith('/') ? bare : `/${bare}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
