/** What it means that no connection was made. Pure. */

import { type DoctorFinding, ok, problem } from '../target/examination.ts';
import type { Failed, HostAndPort } from './connect.ts';

/** The finding on a TCP connection that was tried. */
export function reachableFinding(place: HostAndPort, tried: { readonly address: string } | Failed): DoctorFinding {
  const whole = `${place.host}:${place.port}`;
  if ('address' in tried) return ok('reachable', `${whole} takes connections (${tried.address})`);
  const name = namesHost.has(tried.code) ? place.host : whole;
  const [what, hint] = reasons[tried.code] ?? [
    `cannot be reached (${tried.code})`,
    'Check the address and the network.',
  ];
  return problem('reachable', `${name} ${what}`, hint);
}

const unknownName = [
  'is a name that cannot be resolved here (DNS)',
  'Check its spelling, and whether this machine needs a VPN or another name server.',
] as const;
/** What a name server says is about the host alone. */
const namesHost: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const noRoute = ['has no route from here', 'Check network, VPN and firewall of this machine.'] as const;
const silent = [
  'does not answer a connection',
  'A firewall probably drops it: have the address of this machine allowed, and check the port.',
] as const;

const reasons: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOTFOUND: unknownName,
  EAI_AGAIN: [
    'is a name that the name server does not answer for (DNS)',
    'Check the network and the name server of this machine.',
  ],
  ECONNREFUSED: ['refuses connections', 'Check the port, and that the gateway is up.'],
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: silent,
  TIMEOUT: silent,
};
