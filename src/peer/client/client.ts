/** The reference client: both operations as a row of named steps, from business input to what was understood of the answer. */
import type { Operation } from '../../../contracts/operations.ts';
import { ProtocolError, type SigningKey } from '../../protocol/index.ts';
import type { ClientReply, CloseDayInput, Decoded, RecurringInput } from '../../record/client-case.ts';
import type { ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import {
  type AlteredStep,
  type ClientAlteration,
  type ClientStepName,
  type Context,
  joinClientAlterations,
  type Steps,
  type TakeStep,
} from './alteration.ts';
import { buildClientRequest } from './build-request.ts';
import { operationSteps } from './operation-steps.ts';
import { readAnswer } from './read-answer.ts';
import type { Send } from './send.ts';
import { stagesOf } from './stages.ts';

export interface ReferenceClientOptions {
  /** Scheme, host and fixed path prefix before `/api/`. */
  readonly baseUrl: string;
  readonly endpointId: string;
  /** The key has to fit the operation: HMAC-SHA1 for close-day, RSA-SHA256 for recurring payments. */
  readonly credentials: { readonly consumerKey: string; readonly key: SigningKey };
  readonly send: Send;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** A new text for every call (RFC 5849 section 3.3). */
  readonly nonce: () => string;
  /** Milliseconds for one exchange; default 10 s. */
  readonly deadlineMs?: number;
  readonly alterations?: readonly ClientAlteration[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ClientAnswer extends ClientReply {
  /** As sent; absent where the client refused. */
  readonly request?: SentRequest;
}

export interface ReferenceClient {
  /** Calls an operation with the input that is its own. Never rejects for what the network or the gateway does. */
  call(operation: Operation, input: CloseDayInput | RecurringInput): Promise<ClientAnswer>;
  /** Closes the day (4.1). */
  closeDay(input: CloseDayInput): Promise<ClientAnswer>;
  /** Starts a batch of recurring payments (4.2). */
  processRecurringPayments(input: RecurringInput): Promise<ClientAnswer>;
}

const ordinaryDeadlineMs = 10_000;

export function newClient(options: ReferenceClientOptions): ReferenceClient {
  const altered = joinClientAlterations(options.alterations ?? []);
  const asked: ReferenceClient['call'] = (operation, input) => call(operation, input, options, altered);
  return {
    call: asked,
    closeDay: (input) => asked('close-day', input),
    processRecurringPayments: (input) => asked('process-recurring-payments', input),
  };
}

async function call(
  operation: Operation,
  given: CloseDayInput | RecurringInput,
  options: ReferenceClientOptions,
  altered: AlteredStep,
): Promise<ClientAnswer> {
  const { baseUrl, endpointId, environment = {}, deadlineMs = ordinaryDeadlineMs } = options;
  const done: Partial<Steps> = {};
  const context = { operation, baseUrl, endpointId, environment, time: options.clock(), done } as Context;
  let step: ClientStepName = 'input';
  const take: TakeStep = (name, make) => {
    step = name;
    const taken = altered(name, make(), context);
    (done as Record<ClientStepName, unknown>)[name] = taken;
    return taken;
  };

  const input = take('input', () => given);
  take('credentials', () => options.credentials);
  const refusal = take('refusal', () => operationSteps[operation].refusal(input));
  if (refusal !== undefined) return { outcome: 'refused_locally', ...refusal };
  let request: SentRequest;
  try {
    request = buildClientRequest(take, context, options.nonce);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { outcome: 'refused_locally', stage: step, reason: error.message };
  }

  const stages = stagesOf(context.done);
  const connection = take('connection', () => ({ acceptAnyCertificate: false, deadlineMs }));
  const { response, failure } = await take('send', () => options.send)(request, connection);
  if (failure !== undefined) {
    return { outcome: 'transport_error', reason: `${failure.kind}: ${failure.message}`, request, stages };
  }
  return { outcome: 'completed', request, decoded: decode(response, take, operation), stages };
}

/** What a hook throws is the client's own failure to decode. */
function decode(answer: ReceivedResponse, take: TakeStep, operation: Operation): Decoded {
  try {
    const response = take('response', () => answer);
    return take('decoded', () => readAnswer(() => operationSteps[operation].read(response)));
  } catch (error) {
    return { kind: 'undecodable', reason: error instanceof Error ? error.message : String(error) };
  }
}
