/** `countersign mock`: a conforming local gateway that explains why it refuses a request. */
import { join, resolve } from 'node:path';
import { type AutopsyKeys, autopsy, isTooLong } from '../../autopsy/autopsy.ts';
import { readEvidence } from '../../autopsy/facts.ts';
import { newAuthority } from '../../mock/certificates.ts';
import type { Alteration, Consumer, LogEntry, RunningMock, World } from '../../mock/index.ts';
import { addEndpoint, defaultWorld, MockError, newGate, publishedIdentity, startMock } from '../../mock/index.ts';
import { type LostConnection, lossReason } from '../../mock/listener.ts';
import { readPublicKey } from '../../protocol/index.ts';
import { temporaryFolder } from '../../record/disk/files.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { fact } from '../../report/document.ts';
import { painter } from '../../report/terminal.ts';
import { printedJson, shortened, visible } from '../../report/visible.ts';
import { refuseIf, usageError } from '../../run/options/usage-error.ts';
import { type Input, type Surroundings, untilAborted } from '../command.ts';
import { parseConsumerKey, readKeyFiles } from '../config/keys.ts';
import { printReady } from '../print.ts';

export async function run(options: Input<'mock'>, surroundings: Surroundings): Promise<0> {
  const signal = surroundings.abortSignal();
  const identity = await openIdentity(options, surroundings);
  try {
    const mock = await start(options, identity, surroundings);
    try {
      surroundings[options.json ? 'out' : 'err'](greeting(options, identity, mock, surroundings));
      await untilAborted(signal);
      return 0;
    } finally {
      await mock.close();
    }
  } finally {
    identity.remove();
  }
}

async function start(
  options: Input<'mock'>,
  { consumer, tls }: MockIdentity,
  surroundings: Surroundings,
): Promise<RunningMock> {
  const { publicKeyPem } = consumer;
  const keys = { ...consumer, ...(publicKeyPem !== undefined && { publicKey: readPublicKey(publicKeyPem) }) };
  const world = defaultWorld({ consumers: [consumer] });
  const { endpoint: endpointId, prefix } = options;
  if (endpointId !== undefined) {
    refuseIf(!/^(?!\.{1,2}$)[\w.~-]+$/.test(endpointId))`--endpoint ${endpointId} is not an endpoint id
      Write one segment of a path, such as 1111.`;
    // epntId in an answer is a long (section 2.2). If the endpoint id is no such number, use 1111.
    const epntId = /^[1-9]\d{0,17}$/.test(endpointId) ? endpointId : '1111';
    addEndpoint(world, endpointId, [newGate('7101', epntId)]);
  }
  const context = { server: 'mock', caFile: tls?.caFile ?? '', plain: 'without --tls' };
  const printLoss = (loss: LostConnection): void => surroundings.err(`${loss.client}: ${lossReason(loss, context)}\n`);
  const print = (entry: LogEntry): void => surroundings.out(`${requestLine(entry, Date.now(), surroundings.colour)}\n`);
  try {
    return await startMock({
      port: options.port,
      host: options.host,
      world,
      tls,
      control: options.json || options.controlPort !== undefined ? { port: options.controlPort ?? 0 } : undefined,
      alterations: [...(await imitationOf(options.like, surroundings.remark)), ...(await alterationsOf(options))],
      ...(prefix !== undefined && { prefix: prefix.replace(/^(?=[^/])/, '/').replace(/\/+$/, '') }),
      publicUrl: options.publicUrl,
      // With --json print no log: if nobody reads the pipe, it becomes full and stops the mock.
      ...(options.json
        ? {}
        : { log: print, onLost: printLoss, explainSignature: (request) => explainSignature(request, keys) }),
    });
  } catch (cause) {
    if (!(cause instanceof MockError)) throw cause;
    const value = { 'bad-public-url': options.publicUrl, 'bad-prefix': prefix }[cause.code as string];
    const message = value === undefined ? cause.message : `${cause.message}: ${value}`;
    throw usageError(cause)`${message}
      ${cause.hint[0]?.toUpperCase()}${cause.hint.slice(1)}.`;
  }
}

async function alterationsOf({ defect, variant }: Input<'mock'>): Promise<Alteration[]> {
  if ((defect ?? variant) === undefined) return [];
  const { mockDefectsOf, variantsOf } = await import('../config/defects.ts');
  return [...mockDefectsOf(defect), ...variantsOf(variant)].map(({ alteration }) => alteration);
}

async function imitationOf(run: string | undefined, remark: (sentence: string) => void): Promise<Alteration[]> {
  if (run === undefined) return [];
  const { withReplayable } = await import('../config/stored-runs.ts');
  const { chooseVariants, measuredSettings } = await import('../compare-with-mock.ts');
  const { variants, alike, compared, settings } = await withReplayable(run, (cases, { measured }) => ({
    ...chooseVariants(cases),
    settings: measuredSettings(measured?.limits ?? []),
  }));
  const ids = variants.map(({ id }) => id).join(' ');
  const variantText = ids === '' ? '' : `, and ${alike[1]} with --variant ${ids}`;
  remark(`the mock gives ${alike[0]} of the ${compared} answers in ${run}${variantText}.`);
  return [...variants.map(({ alteration }) => alteration), settings];
}

type MockIdentity = Awaited<ReturnType<typeof openIdentity>>;

async function openIdentity(options: Input<'mock'>, surroundings: Surroundings) {
  const { consumerSecretFile, publicKeyFile } = options;
  const userKeys = await readKeyFiles(options, surroundings.remark);
  const { consumerSecret, publicKeyPem } = { ...publishedIdentity, ...userKeys };
  const consumerKey = parseConsumerKey(options.consumerKey ?? publishedIdentity.consumerKey);
  const consumer: Consumer = { consumerKey, consumerSecret, publicKeyPem };
  // Each mock has its own certificate authority, so that a client that trusts this mock trusts no other mock.
  const authority = options.tls ? newAuthority(Date.now()) : undefined;
  const names = ['127.0.0.1', 'localhost', '::1'];
  const { path, remove } = temporaryFolder('countersign-', {
    ...(consumerSecretFile === undefined ? { 'consumer-secret.txt': publishedIdentity.consumerSecret } : {}),
    ...(publicKeyFile === undefined ? { 'private-key.pem': publishedIdentity.privateKeyPem } : {}),
    ...(authority === undefined ? {} : { 'ca.pem': authority.certificatePem }),
  });
  process.once('exit', remove);
  return {
    consumer,
    consumerSecretFile: resolve(consumerSecretFile ?? join(path, 'consumer-secret.txt')),
    // If the user gave a public key, the mock does not know the private key.
    privateKeyFile: publicKeyFile === undefined ? join(path, 'private-key.pem') : undefined,
    tls: authority && { ...authority.issue({ names }), caFile: join(path, 'ca.pem') },
    isPublished: consumerSecretFile === undefined || publicKeyFile === undefined,
    remove,
  };
}

function greeting(
  { json, publicUrl, endpoint = '1111', defect, variant }: Input<'mock'>,
  { consumer: { consumerKey }, consumerSecretFile, privateKeyFile, tls, isPublished }: MockIdentity,
  { baseUrl, controlUrl, world }: RunningMock,
  { width }: Surroundings,
): string {
  const caFile = tls?.caFile;
  if (json) {
    const facts = { baseUrl, publicUrl, controlUrl, endpointId: endpoint, consumerKey, consumerSecretFile };
    return printedJson({ ...facts, privateKeyFile, caFile });
  }
  const warning = isPublished ? ' Its keys are published: use it only for tests.' : '';
  const ready = printReady(`The mock gateway is ready.${warning}`, [
    ...fact('base URL', baseUrl),
    ...fact('public URL', publicUrl),
    ...fact('control', controlUrl && `${controlUrl}/ lists its routes`),
    ...fact('endpoints', endpointsOf(world)),
    ...fact('consumer key', consumerKey),
    ...fact('secret', consumerSecretFile),
    ...fact('private key', privateKeyFile ?? 'yours; the mock has only the public key'),
    ...fact('trust', caFile),
    ...fact('defects', defect?.join(', ')),
    ...fact('variants', variant?.join(', ')),
    ...fact('call it', `POST ${publicUrl ?? baseUrl}/api/v2/close-day/${endpoint} (docs/how-to/run-the-mock.md)`),
    ...fact('stop it', 'Ctrl+C'),
  ]);
  return `${ready}${width === undefined ? '' : 'Requests, each with its decision:\n'}`;
}

function endpointsOf(world: World): string {
  const found = [...world.endpoints].map(([id, { gates }]) => {
    const states = [...new Set(gates.map((gate) => gate.state))].join(' and ');
    return `${id} ${states}${gates.length === 1 ? '' : ` (${gates.length} gates)`}`;
  });
  return found.join(', ');
}

const decisions = {
  accepted: ['green', 'accepted'],
  closing: ['yellow', 'accepted, but the gate is already closing (error 99)'],
  refused: ['red', 'refused'],
  'not-found': ['red', 'no operation has this path'],
  unread: ['red', 'not read'],
  fault: ['magenta', 'fault of the mock'],
} as const satisfies Record<LogEntry['decision'], unknown>;

function requestLine(entry: LogEntry, now: number, colour: boolean): string {
  const paint = painter(colour);
  const [ink, words] = decisions[entry.decision];
  const clock = new Date(now).toISOString().slice(11, 19);
  const request = visible(shortened(`${entry.method} ${entry.target}`, 200));
  const reason = entry.reason === undefined ? '' : `: ${visible(entry.reason)}`;
  return `${paint('dim', clock)}  ${request}  ${entry.status} ${paint(ink, words)}${reason}`;
}

/** A client waits for the answer, so search less deeply than the autopsy command. */
const quickSearch = { depth: 2, deepSets: 0, work: 40_000_000 };

function explainSignature(request: SentRequest, keys: AutopsyKeys): string | undefined {
  // The autopsy explains no signature of a very long request, so do not start it.
  if (isTooLong(readEvidence(request))) return undefined;
  const { deviations, alternatives = [], facts, signature } = autopsy(request, keys, { limits: quickSearch });
  if (deviations.length === 0 && signature === 'right') return undefined;
  const found =
    deviations.length === 0
      ? facts.map(({ text }) => text)
      : deviations.map(({ id, summary, fix }) => `${summary} (${id}) ${fix}`);
  const others = alternatives.map((ids) => ids.join(' + ')).join('; ');
  return [...found, ...(others === '' ? [] : [`The same signature can come from: ${others}.`])].join(' ') || undefined;
}
