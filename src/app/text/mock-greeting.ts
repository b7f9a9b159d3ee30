/** What `countersign mock` says when it is ready: one line of JSON for programs, a table for people. */
import type { RunningMock, World } from '../../mock/index.ts';
import type { MockIdentity } from '../config/mock-identity.ts';
import type { CommandSurroundings } from '../surroundings.ts';

export interface GreetingOptions {
  readonly json?: true;
  readonly publicUrl?: string;
  readonly endpoint?: string;
  readonly defect?: readonly string[];
  readonly variant?: readonly string[];
}

/** The greeting with its line ends. Files are named, their contents never shown. */
export async function greeting(
  options: GreetingOptions,
  identity: MockIdentity,
  mock: RunningMock,
  { width }: CommandSurroundings,
): Promise<string> {
  const facts = factsOf(options, identity, mock);
  const { printedJson, visible } = await import('../../report/visible.ts');
  if (options.json) return printedJson(facts);
  const lines: (readonly [string, string | undefined])[] = [
    ['base URL', facts.baseUrl],
    ['public URL', facts.publicUrl],
    ['control', facts.controlUrl && `${facts.controlUrl}/ lists its routes`],
    ['endpoints', endpointsOf(mock.world)],
    ['consumer key', facts.consumerKey],
    ['secret', facts.consumerSecretFile],
    ['private key', facts.privateKeyFile ?? 'yours; the mock has the public half'],
    ['trust', facts.caFile],
    ['defects', options.defect?.join(', ')],
    ['variants', options.variant?.join(', ')],
    [
      'call it',
      `POST ${facts.publicUrl ?? facts.baseUrl}/api/v2/close-day/${facts.endpointId} (docs/mock.md: a signed request)`,
    ],
    ['stop it', 'Ctrl+C'],
  ];
  const warning = identity.published ? ' Its keys are published: for tests only.' : '';
  return [
    `The mock gateway is ready.${warning}`,
    ...lines
      .filter((line): line is readonly [string, string] => line[1] !== undefined)
      .map(([label, text]) => `  ${label.padEnd(12)}  ${visible(text)}`),
    ...(width === undefined ? [] : ['Requests, each with its decision:']),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function factsOf({ publicUrl, endpoint }: GreetingOptions, identity: MockIdentity, mock: RunningMock) {
  const { privateKeyFile, tls } = identity;
  return {
    baseUrl: mock.baseUrl,
    publicUrl,
    controlUrl: mock.controlUrl,
    endpointId: endpoint ?? '1111',
    consumerKey: identity.consumer.consumerKey,
    consumerSecretFile: identity.consumerSecretFile,
    privateKeyFile,
    caFile: tls?.caFile,
  };
}

function endpointsOf(world: World): string {
  return [...world.endpoints]
    .map(([id, { gates }]) => {
      const states = [...new Set(gates.map((gate) => gate.state))].join(' and ');
      return gates.length === 1 ? `${id} ${states}` : `${id} ${states} (${gates.length} gates)`;
    })
    .join(', ');
}
