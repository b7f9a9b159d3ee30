/** The first of a client's own steps that went another way, from the artefacts that its adapter shows. Pure. */

import {
  decodeBase64,
  decodeCsv,
  decodeForm,
  encodeBase64,
  type Pair,
  sign,
  type VerifyingKey,
  verifyRequest,
} from '../../protocol/index.ts';
import type { ClientCase, CloseDayInput, RecurringInput } from '../../record/client-case.ts';
import type { DifferingStage } from '../../record/result/result.ts';

interface Step {
  readonly stage: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Each stage is compared with what has to follow from the stage before it, so that one fault is found in one place: the
 * CSV with the input, the payload with the client's own CSV, the base string with the request on the wire (RFC 5849
 * section 3.4). Undefined where the client shows no stages, or none differs.
 */
export function firstDifferingStage(
  call: ClientCase,
  keysOf: (consumerKey: string) => readonly VerifyingKey[] | undefined,
): Omit<DifferingStage, 'exchange'> | undefined {
  const stages = call.reply?.stages;
  const [exchange] = call.wire;
  if (stages === undefined || exchange === undefined) return undefined;
  const verification = verifyRequest(exchange.request, (consumerKey) => keysOf(consumerKey)?.slice());
  const steps = [
    ...payloadSteps(stages, call.asked?.input),
    ...bodySteps(stages, call.asked?.input),
    ...signingSteps(stages, 'steps' in verification ? verification.steps : undefined, keysOf),
  ];
  const found = steps.find(({ expected, actual }) => expected !== actual);
  return found && { ...found, offset: firstDifference(found.expected, found.actual) };
}

type Stages = Readonly<Record<string, string>>;

function payloadSteps({ csv_b64: csv, payload }: Stages, input: CloseDayInput | RecurringInput | undefined): Step[] {
  const steps: Step[] = [];
  if (csv !== undefined && input !== undefined && 'rows' in input) {
    const expected = JSON.stringify([input.columns, ...input.rows.map((row) => row.map((cell) => cell ?? ''))]);
    steps.push({ stage: 'csv', expected, actual: tableOf(csv) });
  }
  if (csv !== undefined && payload !== undefined) steps.push({ stage: 'payload', expected: csv, actual: payload });
  return steps;
}

/** The table in the client's CSV, or the CSV itself where it is none. */
function tableOf(csv: string): string {
  const text = Buffer.from(csv, 'base64').toString('utf8');
  try {
    const { columns, rows } = decodeCsv(text);
    return JSON.stringify([columns, ...rows]);
  } catch {
    return text;
  }
}

function bodySteps(stages: Stages, input: CloseDayInput | RecurringInput | undefined): Step[] {
  const { body_b64: body, payload } = stages;
  if (body === undefined) return [];
  const sent = decodedForm(body);
  if (payload !== undefined) return [{ stage: 'body', expected: told([['payload', payload]]), actual: sent }];
  if (input === undefined || 'rows' in input) return [];
  const given = Object.entries(input).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return [{ stage: 'body', expected: told(given), actual: sent }];
}

function decodedForm(base64: string): string {
  try {
    return told(decodeForm(decodeBase64(base64)));
  } catch {
    return Buffer.from(base64, 'base64').toString('latin1');
  }
}

/** Pairs whatever their order. */
function told(pairs: readonly Pair[]): string {
  return JSON.stringify([...pairs].sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1)));
}

interface Signing {
  readonly parameters: readonly Pair[];
  readonly normalized: string;
  readonly baseString: string;
}

function signingSteps(
  stages: Stages,
  right: Signing | undefined,
  keysOf: (consumerKey: string) => readonly VerifyingKey[] | undefined,
): Step[] {
  if (right === undefined) return [];
  const { parameters, normalized, base_string: base, signature } = stages;
  const steps: Step[] = [];
  if (parameters !== undefined) {
    steps.push({ stage: 'parameters', expected: told(right.parameters), actual: pairsIn(parameters) });
  }
  if (normalized !== undefined) steps.push({ stage: 'normalized', expected: right.normalized, actual: normalized });
  if (base !== undefined) steps.push({ stage: 'base_string', expected: right.baseString, actual: base });
  const key = keysOf(new Map(right.parameters).get('oauth_consumer_key') ?? '')?.find(
    ({ method }) => method === 'HMAC-SHA1',
  );
  const isHmac = new Map(right.parameters).get('oauth_signature_method') === 'HMAC-SHA1';
  if (base !== undefined && signature !== undefined && isHmac && key?.method === 'HMAC-SHA1') {
    steps.push({ stage: 'signature', expected: sign(base, key), actual: signature });
  }
  return steps;
}

function pairsIn(form: string): string {
  return decodedForm(encodeBase64(Buffer.from(form)));
}

/** In characters, from 0. */
function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
