/** Where the ledger of a target is: one for each user and target, however the target is written and wherever a run is started. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isLoopback } from '../../record/loopback.ts';
import type { LiveConfig } from '../target/live-config.ts';
import { canonicalEndpoint } from '../target/same-endpoint.ts';
import { LiveError } from './live-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LedgerPlace {
  /** Absolute path of the file. */
  readonly path: string;
  /** Who shares it, as the end of a sentence: others know nothing of what is done here. */
  readonly reach: string;
}

type Located = Pick<LiveConfig, 'path' | 'ledger' | 'target' | 'endpointId'>;

/**
 * Throws LiveError `bad-ledger` where a ledger is beside the configuration, or in the working folder, which is where
 * they were before.
 */
export function ledgerPlace(config: Located, env: Environment, cwd: string, platform = process.platform): LedgerPlace {
  const { path, ledger, target, endpointId } = config;
  for (const folder of new Set([path === undefined ? cwd : dirname(path), cwd]))
    refuseFormer(join(folder, '.countersign'));
  const hash = createHash('sha256').update(canonicalTarget(target, endpointId)).digest('hex').slice(0, 16);
  return {
    path: join(ledger ?? stateFolder(env, platform), `ledger-${hash}.jsonl`),
    reach: ledger === undefined ? 'this user on this machine' : 'all whose configuration names this folder',
  };
}

/**
 * The target in one spelling (RFC 3986 section 6.2): names of this machine are one host, escapes are decoded, and neither
 * a final dot, a default port, doubled slashes nor the way in which an endpoint is written make another target of it.
 */
export function canonicalTarget(target: string, endpointId = ''): string {
  const url = new URL(target);
  const host = hostOf(url);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const prefix = decoded(url.pathname).replace(/\/+/g, '/').replace(/\/$/, '');
  return `${url.protocol}//${host}:${port}${prefix} ${canonicalEndpoint(endpointId)}`;
}

/** The parser has put the name into lower case, and numbers of every form into the usual one. */
function hostOf({ hostname }: URL): string {
  const name = hostname.replace(/\.+$/, '');
  const inIpv6 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(name);
  const [high, low] = [inIpv6?.[1], inIpv6?.[2]].map((digits) => Number.parseInt(digits ?? '', 16));
  const host = inIpv6 === null ? name : [high! >> 8, high! & 255, low! >> 8, low! & 255].join('.');
  // What listens nowhere else is reached by these too (RFC 1122 section 3.2.1.3, RFC 6761).
  const alike = isLoopback(host) || /^(?:0\.0\.0\.0|\[::\]|.+\.localhost)$/.test(host);
  return alike ? 'loopback' : host;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The folder for what programs of a user remember (XDG Base Directory Specification, or the platform's own). */
function stateFolder(env: Environment, platform: NodeJS.Platform): string {
  const { XDG_STATE_HOME: given, LOCALAPPDATA: local } = env;
  if (given !== undefined && isAbsolute(given)) return join(given, 'countersign');
  const home = homedir();
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'countersign');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'countersign');
  return join(home, '.local', 'state', 'countersign');
}

function refuseFormer(folder: string): void {
  const [former] = namesIn(folder).filter((name) => /^ledger-[0-9a-f]{16}\.jsonl$/.test(name));
  if (former === undefined) return;
  throw new LiveError(
    'bad-ledger',
    `the ledger ${join(folder, former)} is of an earlier version, and is not read any more`,
    'If a run in it has no line with "event":"end", what that run did counts nowhere else: make sure that nothing of it is ' +
      'still to be counted, then move the file away.',
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
