/** The judge of HTTPS (introduction of the document): requests come over TLS, and an untrusted certificate is refused. */
import type { ClientCase } from '../../record/client-case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { lacks, losses } from '../../record/har-losses.ts';
import { isLoopback } from '../../record/hosts.ts';
import { type Finding, fail, inconclusive, pass } from '../finding.ts';
import { splitBaseUrl } from './asked.ts';
import type { ClientJudge, ClientVerdict } from './client-judge.ts';
import { isUntrustedServer, isWireCase } from './wire-judge.ts';

/** It passes only where both were seen: requests over TLS, and a refusal of the certificate of another authority. */
export const https: ClientJudge = ({ cases }) => {
  const untrusted = cases.filter(({ label }) => isUntrustedServer(label.server)).flatMap(atUntrustedServer);
  const refused = untrusted.some(
    ({ examined, finding }) => examined.label.server === 'other-authority' && finding.outcome === 'pass',
  );
  const ordinary = cases
    .filter(isWireCase)
    .flatMap((examined) =>
      examined.wire.map((exchange) => ({ examined, exchange, finding: overTls(examined, exchange, refused) })),
    );
  return [...ordinary, ...untrusted];
};

function overTls(examined: ClientCase, { request }: Exchange, refused: boolean): Finding {
  const { asked } = examined;
  if (request.scheme === 'http' && lacks(examined, 'address'))
    return inconclusive(`the record lacks ${losses.address}`);
  const askedFor = asked === undefined ? undefined : splitBaseUrl(asked.baseUrl).scheme;
  if (request.scheme === 'http') {
    const toPlainHttp = askedFor === 'http' || (askedFor === undefined && isLoopback(request.host));
    return toPlainHttp ? inconclusive('plain http was asked for', 'configuration') : fail('https', 'http');
  }
  return refused
    ? pass()
    : inconclusive('no server with a certificate of another authority was refused', 'configuration');
}

function atUntrustedServer(examined: ClientCase): ClientVerdict[] {
  const { label, reply, wire } = examined;
  const [exchange] = wire;
  if (exchange !== undefined) {
    return [{ examined, exchange, finding: fail('no request', `a request ${trusted[label.server!] ?? ''}`.trim()) }];
  }
  if (reply?.outcome === 'transport_error') return [{ examined, finding: pass() }];
  if (reply === undefined && examined.adapterFault === undefined) return [];
  const said = reply?.outcome ?? examined.adapterFault!.code;
  const blame = reply?.outcome === 'unsupported' ? 'configuration' : 'subject';
  return [{ examined, finding: inconclusive(`no request arrived, and the client reported ${said}`, blame) }];
}

const trusted: Readonly<Record<string, string>> = {
  'other-authority': 'to a server with a certificate of another authority',
  'wrong-name': 'to a server with a certificate for another name',
  expired: 'to a server with an expired certificate',
};
