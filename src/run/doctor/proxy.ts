/** Signs of something between here and the gateway, or of limits on requests. Pure. */
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { type DoctorFinding, problem, remark, unchecked } from '../target/examination.ts';

/** Nothing where nothing was noticed. `env` says whether this machine is set up for a proxy. */
export function betweenFindings(
  exchanges: readonly Exchange[],
  env: Readonly<Record<string, string | undefined>>,
): DoctorFinding[] {
  return [...limits(exchanges), ...proxies(exchanges), ...proxyVariables(env), ...fault(exchanges)];
}

function limits(exchanges: readonly Exchange[]): DoctorFinding[] {
  const limited = exchanges.find(({ response }) => response?.status === 429);
  const wait = limited && headerValues(limited.response!.headers, 'retry-after')[0];
  if (limited) {
    const after = wait === undefined ? '' : `, with Retry-After: ${wait.slice(0, 40)}`;
    return [
      problem(
        'rate-limit',
        `the target limits requests (HTTP 429${after})`,
        'Lower rate in the configuration, or ask for a higher limit for this address.',
      ),
    ];
  }
  const names = headerNames(exchanges).filter((name) => /^(?:x-)?ratelimit/.test(name));
  if (names.length === 0) return [];
  return [
    remark(
      'rate-limit',
      `the target announces a limit on requests (${names.join(', ')})`,
      'Keep rate in the configuration below it.',
    ),
  ];
}

function proxies(exchanges: readonly Exchange[]): DoctorFinding[] {
  if (exchanges.some(({ response }) => response?.status === 407)) {
    return [
      problem(
        'proxy',
        'a proxy wants credentials (HTTP 407)',
        'Get direct access to the target for this machine: the suite uses no proxy.',
      ),
    ];
  }
  const signs = headerNames(exchanges).filter((name) =>
    /^(?:via|x-cache|cf-ray|x-served-by|x-amz-cf-id|x-azure-ref)$/.test(name),
  );
  if (signs.length === 0) return [];
  return [
    remark(
      'proxy',
      `something is between this machine and the gateway (${signs.join(', ')})`,
      'If signatures are refused, check whether it changes Host, path or body.',
    ),
  ];
}

function proxyVariables(env: Readonly<Record<string, string | undefined>>): DoctorFinding[] {
  const set = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'].filter((name) => env[name]);
  if (set.length === 0) return [];
  return [
    remark(
      'proxy/unused',
      `${set.join(', ')} set here: the suite connects directly all the same`,
      'The target has to be reachable without a proxy.',
    ),
  ];
}

/** A fault that answers in the place of the gateway is worth waiting for. */
function fault(exchanges: readonly Exchange[]): DoctorFinding[] {
  const found = exchanges.find(({ response }) => response !== undefined && response.status >= 500);
  if (found === undefined) return [];
  return [
    unchecked(
      'answers',
      `the target answers ${found.request.target} with HTTP ${found.response!.status}`,
      'The target, or something in front of it, has a fault: nothing can be judged until it is fixed.',
    ),
  ];
}

function headerNames(exchanges: readonly Exchange[]): string[] {
  const all = exchanges.flatMap(({ response }) => (response?.headers ?? []).map(([name]) => name.toLowerCase()));
  return [...new Set(all)].sort();
}
