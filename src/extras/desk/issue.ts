/** Issues an engagement: its place, and credentials that nobody else has. */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Operation } from '../../../contracts/operations.ts';
import { ProtocolError, readPublicKey } from '../../protocol/index.ts';
import { DeskError } from './desk-error.ts';
import type { Engagement } from './engagement.ts';

/** What the page or the API was asked for. */
export interface NewEngagement {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** PEM; absent where the desk is to make the key pair. */
  readonly publicKeyPem?: string;
}

const newKeyPair = promisify(generateKeyPair);

/**
 * @param now milliseconds since the Unix epoch
 * @throws DeskError `bad-public-key`
 */
export async function issueEngagement(asked: NewEngagement, now: number): Promise<Engagement> {
  const keys =
    asked.publicKeyPem === undefined ? await newKeys() : { publicKeyPem: checkedPublicKey(asked.publicKeyPem) };
  return {
    id: `e${randomBytes(6).toString('hex')}`,
    name: asked.name,
    createdAt: now,
    operations: asked.operations,
    endpointId: '1111',
    consumerKey: `Desk-${randomBytes(6).toString('hex')}`,
    consumerSecret: newSecret(),
    ...keys,
  };
}

/** 40 letters and digits, of both cases: a client that folds them signs wrongly here. */
function newSecret(): string {
  return randomBytes(48)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 40);
}

async function newKeys(): Promise<{ readonly publicKeyPem: string; readonly privateKeyPem: string }> {
  const { publicKey, privateKey } = await newKeyPair('rsa', { modulusLength: 2048 });
  return {
    publicKeyPem: String(publicKey.export({ type: 'spki', format: 'pem' })),
    privateKeyPem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** The key as SPKI, whatever it was given as. */
function checkedPublicKey(pem: string): string {
  try {
    return String(readPublicKey(pem).export({ type: 'spki', format: 'pem' }));
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    const hint = cause.hint ?? 'Give the public half of an RSA key of at least 2048 bits, as PEM.';
    throw new DeskError('bad-public-key', cause.message, hint, cause);
  }
}
