/** What is wrong with a TLS handshake or the certificate that it showed (RFC 5280 section 6, RFC 6125). Pure. */

import { countedWord } from '../../record/counted-word.ts';
import { type DoctorFinding, ok, problem, remark } from '../target/examination.ts';
import type { CertificateFacts, Failed, HostAndPort } from './connect.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** From so many days on the end of a certificate is worth a remark. */
const remarkDays = 21;

/** Findings on a handshake; `now` is in milliseconds since the Unix epoch. `hasCa`: the configuration names an authority. */
export function certificateFindings(
  { host, port }: HostAndPort,
  tried: CertificateFacts | Failed,
  hasCa: boolean,
  now: number,
): DoctorFinding[] {
  if ('code' in tried) return [handshakeFailed(`${host}:${port}`, tried)];
  const problems = [...validity(tried, now), ...name(tried, host), ...chain(tried, hasCa, now)];
  if (problems.length > 0) return problems;
  const days = Math.floor((tried.validTo - now) / dayMs);
  const good = ok(
    'tls',
    `the certificate of ${tried.subject} is trusted and valid for ${countedWord(days, 'day')} (${tried.protocol})`,
  );
  if (days >= remarkDays) return [good];
  return [
    good,
    remark(
      'tls/ends-soon',
      `the certificate ends in ${countedWord(days, 'day')}`,
      'Let the operator of the gateway know.',
    ),
  ];
}

function validity({ validFrom, validTo }: CertificateFacts, now: number): DoctorFinding[] {
  const clock = `If this machine's clock, ${timeOf(now)}, is wrong, set it.`;
  if (now > validTo) {
    return [
      problem(
        'tls/expired',
        `the certificate expired on ${timeOf(validTo)}, ${countedWord(Math.floor((now - validTo) / dayMs), 'day')} ago`,
        `The operator of the gateway has to renew it. ${clock}`,
      ),
    ];
  }
  if (now < validFrom) {
    return [problem('tls/not-yet-valid', `the certificate is not valid before ${timeOf(validFrom)}`, clock)];
  }
  return [];
}

function name({ otherName }: CertificateFacts, host: string): DoctorFinding[] {
  if (otherName === undefined) return [];
  return [
    problem(
      'tls/name',
      `the certificate is not for ${host}, but for ${otherName}`,
      'Use the name that the certificate is for in target, or have a certificate made for this one.',
    ),
  ];
}

/** Expiry and name have findings of their own; what is left concerns the chain. */
function chain(
  { distrust, issuer, validFrom, validTo }: CertificateFacts,
  hasCa: boolean,
  now: number,
): DoctorFinding[] {
  if (distrust === undefined || distrust === 'ERR_TLS_CERT_ALTNAME_INVALID') return [];
  if (distrust === 'CERT_HAS_EXPIRED' || distrust === 'CERT_NOT_YET_VALID') {
    const leaf = now > validTo || now < validFrom;
    return leaf
      ? []
      : [
          problem(
            'tls/chain',
            `a certificate above that of the gateway, issued by ${issuer}, has expired or is not yet valid`,
            'The operator of the gateway has to renew its chain; a file of your own under ca may also be out of date.',
          ),
        ];
  }
  const hint = hasCa
    ? 'The file under ca holds another authority: ask for the certificate of the one that issued this.'
    : 'If it is an authority of your own, put its certificate into a PEM file and name it under ca; a public one is missing from the chain that the gateway sends.';
  if (distrust === 'DEPTH_ZERO_SELF_SIGNED_CERT') {
    return [
      problem(
        'tls/self-signed',
        `the certificate is signed by itself (${issuer})`,
        hasCa
          ? hint
          : 'Put this certificate into a PEM file and name it under ca, once you have confirmed by another way that it is the right one.',
      ),
    ];
  }
  return [
    problem(
      'tls/authority',
      `the certificate comes from an authority that is not trusted here: ${issuer} (${distrust})`,
      hint,
    ),
  ];
}

function handshakeFailed(place: string, { code, reason }: Failed): DoctorFinding {
  const why = code === 'TIMEOUT' ? 'no answer' : reason === undefined ? code : `${reason}, ${code}`;
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD/.test(code)) {
    return problem(
      'tls/none',
      `${place} does not speak TLS (${why})`,
      'Check the port; if the gateway really speaks plain HTTP there, write http:// in target.',
    );
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/.test(code)) {
    return problem(
      'tls/handshake',
      `${place} breaks off the TLS handshake (${why})`,
      'It may want a client certificate, which this suite does not send, or other versions of TLS.',
    );
  }
  const hint = 'Check that the port is the one of HTTPS and that no proxy in between replaces the certificate.';
  return problem('tls/handshake', `the TLS handshake with ${place} failed (${why})`, hint);
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
