/** The effect gate: every request to a live target passes it, and what could do more than is allowed does not. */
import type { Operation } from '../../../contracts/requirements/requirement.ts';
import { type Answer, classify } from '../../checks/acceptance.ts';
import type { Exchange, SentRequest } from '../../exchange/exchange.ts';
import type { NotSent } from '../../exchange/gateway-run.ts';
import type { Allowance } from '../live-config.ts';
import type { Ledger, Settlement } from './ledger.ts';
import { answeredWith } from './ledger-lines.ts';
import type { Pace } from './pace.ts';
import type { Site } from './site.ts';
import { askedOfUnknown, type WorstCase, worstCaseOf } from './worst-case.ts';

/** Why a request was not sent: `allow` has no room for it, the configuration does not name it, or its kind or all was stopped. */
export interface Withheld {
  readonly why: NotSent['why'];
  /** End of a sentence that begins with "not sent:". */
  readonly reason: string;
}

export interface Purpose {
  /** Who sends it and what it is; stands in the ledger. */
  readonly what: string;
  /** Kind of a request that must be refused: once one of them is accepted, no other one is sent. */
  readonly negative?: string;
}

export interface EffectGate {
  /** Sends the request if it may be sent; never twice. */
  send(
    request: SentRequest,
    purpose: Purpose,
    send: (request: SentRequest) => Promise<Exchange>,
  ): Promise<Exchange | { readonly withheld: Withheld }>;
}

export interface GateParts {
  readonly site: Site;
  readonly allow: Allowance;
  readonly ledger: Ledger;
  readonly pace: Pace;
}

export function newGate({ site, allow, ledger, pace }: GateParts): EffectGate {
  const withheld = (why: Withheld['why'], reason: string) => ({ withheld: { why, reason } });
  // An endpoint that acts on a request is there, or stands for another one: nothing sent to it is free of effects.
  let unknownActs = false;
  return {
    async send(request, { what, negative }, send) {
      const worst = worstCaseOf(request, site);
      if ('forbidden' in worst) return withheld('forbidden', worst.forbidden);
      if (worst.effect === 'none') {
        const operation = askedOfUnknown(request, site);
        if (operation !== undefined && unknownActs) return withheld('forbidden', actsAllTheSame(site));
        const exchange = await paced(pace, () => send(request));
        unknownActs ||= operation !== undefined && actedOn(exchange, operation);
        return exchange;
      }
      const stopped = negative === undefined ? undefined : ledger.stand().stopped.get(negative);
      if (stopped !== undefined) return withheld('stopped', `${stopped} was accepted, and this is of the same kind`);
      const reserved = ledger.reserve(worst, allow, what);
      if ('refused' in reserved) return withheld('allow', reserved.refused);
      const exchange = await paced(pace, () => send(request));
      ledger.settle(reserved.id, settlementOf(exchange, worst, negative));
      return exchange;
    },
  };
}

function actsAllTheSame({ unknownEndpointId }: Site): string {
  return `endpoint ${unknownEndpointId}, which the configuration names as unknown, has let a request through`;
}

/** Error 99 too comes from an endpoint that is there. */
function actedOn(exchange: Exchange, operation: Operation): boolean {
  return ['accepted', 'past-authentication'].includes(saidTo(operation, exchange));
}

function saidTo(operation: Operation, exchange: Exchange): Answer {
  return classify({ scenario: '', number: 0, label: { operation, intent: 'valid' }, exchange });
}

async function paced(pace: Pace, send: () => Promise<Exchange>): Promise<Exchange> {
  await pace.turn();
  const exchange = await send();
  pace.answered(exchange);
  return exchange;
}

/** Only an answer that rules the effect out gives the reservation back. */
function settlementOf(exchange: Exchange, worst: WorstCase, negative: string | undefined): Settlement {
  const operation = worst.effect === 'closes-day' ? 'close-day' : 'process-recurring-payments';
  const said = saidTo(operation, exchange);
  const answer = answeredWith(exchange, said);
  // A fault of the server says nothing of what it had done until then, whatever its body says.
  if ((exchange.response?.status ?? 0) >= 500) return { event: 'unclear', answer };
  if (said === 'accepted') return { event: 'confirm', answer, ...(negative === undefined ? {} : { stops: negative }) };
  // Error 99 says that the gate was closing before this request came: it closed nothing.
  if (said === 'refused' || said === 'past-authentication' || neverActedOn(exchange)) {
    return { event: 'release', answer };
  }
  return { event: 'unclear', answer };
}

/** No connection came about, or HTTP itself refused (RFC 9110 section 15.5); a request that timed out there may go on. */
function neverActedOn({ response, failure }: Exchange): boolean {
  if (response === undefined) return ['unreachable', 'tls', 'not-sent'].includes(failure?.kind ?? '');
  return response.status >= 400 && response.status < 500 && response.status !== 408;
}
