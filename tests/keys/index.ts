/** RSA keys that are not the published ones, of 2048 bits but for one: read, since making a pair takes half a second in each worker. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const shopKeys = keysIn('shop.pem');

export const otherShopKeys = keysIn('other-shop.pem');

/** Of 3072 bits: its signatures are longer than those of the published key. */
export const longShopKeys = keysIn('long-shop.pem');

/** PEM of the private key, for a file or a TLS server. */
export function privatePemOf({ privateKey }: KeyPair): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function keysIn(name: string): KeyPair {
  const privateKey = createPrivateKey(readFileSync(new URL(name, import.meta.url)));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
