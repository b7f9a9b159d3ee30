/** `countersign mock`: a local gateway that behaves, and that says why it refuses what a real one refuses in silence. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Alteration, Consumer, LogEntry, RunningMock, World } from '../mock/index.ts';
import { didYouMean } from './nearest.ts';
import type { CommandSurroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

interface MockCommandOptions {
  readonly port: number;
  readonly json?: true;
  readonly publicUrl?: string;
  readonly consumerKey?: string;
  readonly consumerSecretFile?: string;
  readonly publicKeyFile?: string;
  readonly endpoint?: string;
  readonly prefix?: string;
  readonly defect?: readonly string[];
  readonly variant?: readonly string[];
}

export function mockCommand(surroundings: CommandSurroundings): Command {
  return new Command('mock')
    .description(
      'Starts a local gateway with both operations. Without options its identity is the published test identity, ' +
        'whose secret and private key it puts into files. Endpoint 1111 is open, 1112 closing, 1113 locked, 1114 has three gates.',
    )
    .option('--port <n>', 'port on 127.0.0.1, 0 for any free one', portOf, 0)
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .option('--public-url <url>', 'base URL that clients use, where a proxy or a tunnel stands in front')
    .option('--consumer-key <key>', 'oauth_consumer_key of the client')
    .option('--consumer-secret-file <file>', 'file with the secret for HMAC-SHA1')
    .option('--public-key-file <file>', 'PEM file with the RSA public key of the client')
    .option('--endpoint <id>', 'a further endpoint with one open gate')
    .option('--prefix <path>', 'path before /api/, such as /paynet')
    .option('--defect <id...>', 'misbehave on purpose (countersign list defects)')
    .option('--variant <id...>', 'behave in another permitted way (countersign list variants)')
    .addHelpText(
      'after',
      '\nExamples:\n  countersign mock --port 8080\n  countersign mock --json --consumer-key shop --consumer-secret-file secret.txt --public-key-file key.pub.pem',
    )
    .action((options: MockCommandOptions) => serve(options, surroundings));
}

/** Runs until it is interrupted. */
async function serve(options: MockCommandOptions, surroundings: CommandSurroundings): Promise<void> {
  const interrupted = surroundings.interrupted();
  const identity = await openIdentity(options, surroundings);
  try {
    const mock = await start(options, identity.consumer, surroundings);
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

interface MockIdentity {
  readonly consumer: Consumer;
  readonly consumerSecretFile: string;
  /** Absent where the private key stays with the client. */
  readonly privateKeyFile?: string;
  /** Whether a part of it is the published test identity. */
  readonly published: boolean;
  readonly remove: () => void;
}

/** What was given, and the published test identity for the rest of it. */
async function openIdentity(options: MockCommandOptions, surroundings: CommandSurroundings): Promise<MockIdentity> {
  const { publishedIdentity } = await import('../mock/index.ts');
  const { readPublicKeyFile, readSecretFile } = await import('./credentials.ts');
  const { writeIdentityFiles } = await import('./identity-files.ts');
  const { consumerSecretFile: secretPath, publicKeyFile: keyPath } = options;
  const consumer: Consumer = {
    consumerKey: consumerKeyOf(options.consumerKey ?? publishedIdentity.consumerKey),
    consumerSecret:
      secretPath === undefined
        ? publishedIdentity.consumerSecret
        : await readSecretFile({ path: secretPath, option: '--consumer-secret-file' }, (remark) =>
            surroundings.err(`countersign: ${remark}\n`),
          ),
    publicKeyPem:
      keyPath === undefined
        ? publishedIdentity.publicKeyPem
        : await readPublicKeyFile({ path: keyPath, option: '--public-key-file' }),
  };
  const written: Record<string, string> = {};
  if (secretPath === undefined) written['consumer-secret.txt'] = publishedIdentity.consumerSecret;
  if (keyPath === undefined) written['private-key.pem'] = publishedIdentity.privateKeyPem;
  const files = await writeIdentityFiles(written);
  return {
    consumer,
    consumerSecretFile: secretPath === undefined ? files.path('consumer-secret.txt') : resolve(secretPath),
    ...(keyPath === undefined ? { privateKeyFile: files.path('private-key.pem') } : {}),
    published: secretPath === undefined || keyPath === undefined,
    remove: files.remove,
  };
}

async function start(
  options: MockCommandOptions,
  consumer: Consumer,
  surroundings: CommandSurroundings,
): Promise<RunningMock> {
  const { MockError, addEndpoint, defaultWorld, newGate, startMock } = await import('../mock/index.ts');
  const { requestLine } = await import('./request-line.ts');
  const world = defaultWorld({ consumers: [consumer] });
  const endpointId = endpointOf(options.endpoint);
  if (endpointId !== undefined) addEndpoint(world, endpointId, [newGate('7101', gateEndpoint(endpointId))]);
  const print = (entry: LogEntry): void => surroundings.out(`${requestLine(entry, Date.now(), surroundings.colour)}\n`);
  try {
    return await startMock({
      port: options.port,
      world,
      alterations: await alterationsOf(options),
      ...(options.prefix === undefined ? {} : { prefix: normalizedPrefix(options.prefix) }),
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      // Whoever asks for JSON reads one line; more of them would fill a pipe that nobody empties and stop the mock.
      ...(options.json ? {} : { log: print }),
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

async function greeting(
  options: MockCommandOptions,
  identity: MockIdentity,
  mock: RunningMock,
  surroundings: CommandSurroundings,
): Promise<string> {
  const facts = {
    baseUrl: mock.baseUrl,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    endpointId: options.endpoint ?? '1111',
    consumerKey: identity.consumer.consumerKey,
    consumerSecretFile: identity.consumerSecretFile,
    ...(identity.privateKeyFile === undefined ? {} : { privateKeyFile: identity.privateKeyFile }),
  };
  if (options.json) return `${JSON.stringify(facts)}\n`;
  const { visible } = await import('../report/visible.ts');
  const lines: (readonly [string, string | undefined])[] = [
    ['base URL', facts.baseUrl],
    ['public URL', options.publicUrl],
    ['endpoints', endpointsOf(mock.world)],
    ['consumer key', facts.consumerKey],
    ['secret', facts.consumerSecretFile],
    ['private key', identity.privateKeyFile ?? 'yours; the mock has the public half'],
    ['defects', options.defect?.join(', ')],
    ['variants', options.variant?.join(', ')],
    [
      'call it',
      `POST ${options.publicUrl ?? facts.baseUrl}/api/v2/close-day/${facts.endpointId} (README: a signed request)`,
    ],
    ['stop it', 'Ctrl+C'],
  ];
  const warning = identity.published ? ' Its keys are published: for tests only.' : '';
  return [
    `The mock gateway is ready.${warning}`,
    ...lines
      .filter((line): line is readonly [string, string] => line[1] !== undefined)
      .map(([label, text]) => `  ${label.padEnd(12)}  ${visible(text)}`),
    surroundings.width === undefined ? '' : 'Requests, each with its decision:',
  ]
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}

function endpointsOf(world: World): string {
  return [...world.endpoints]
    .map(([id, { gates }]) => {
      const states = [...new Set(gates.map((gate) => gate.state))].join(' and ');
      return gates.length === 1 ? `${id} ${states}` : `${id} ${states} (${gates.length} gates)`;
    })
    .join(', ');
}

/** The alterations of the named defects and variants, defects first. */
async function alterationsOf({ defect = [], variant = [] }: MockCommandOptions): Promise<Alteration[]> {
  if (defect.length === 0 && variant.length === 0) return [];
  const { gatewayDefects } = await import('../defects/index.ts');
  const { variants } = await import('../defects/variants.ts');
  return [
    ...defect.map((id) => named('defect', id, gatewayDefects).alteration),
    ...variant.map((id) => named('variant', id, variants).alteration),
  ];
}

function named<T extends { readonly id: string }>(what: string, id: string, all: readonly T[]): T {
  const found = all.find((entry) => entry.id === id);
  if (found) return found;
  const hint =
    didYouMean(
      id,
      all.map((entry) => entry.id),
    ) ?? `countersign list ${what}s shows them.`;
  throw new UsageError('unknown-id', `there is no ${what} ${id}`, { hint });
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  }
  return port;
}

function consumerKeyOf(text: string): string {
  if (text !== '' && !/\p{Cc}/u.test(text)) return text;
  throw new UsageError('bad-value', 'the consumer key of --consumer-key is empty or holds control characters');
}

function endpointOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[\w.~-]+$/.test(text)) return text;
  throw new UsageError('bad-value', `${text} is not an endpoint id for --endpoint`, {
    hint: 'It is one segment of the path, such as 1111.',
  });
}

/** epntId is a long (2.2): an id that is none cannot stand there. */
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
