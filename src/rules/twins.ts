/** Judges of acceptance and refusal. A refusal is evidence only if the twin without the fault was accepted. */
import type { Operation } from '../../contracts/operations.ts';
import {
  type RequirementId,
  requirementById,
  requirements,
  type TestableId,
} from '../../contracts/requirements/index.ts';
import { closeDayFieldNames } from '../protocol/close-day.ts';
import { decodeCsv } from '../protocol/csv.ts';
import { decodeForm } from '../protocol/form.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Case } from '../record/case.ts';
import type { Exchange } from '../record/exchange.ts';
import { groupBy } from '../record/group-by.ts';
import { memoize } from '../record/memoize.ts';
import type { Blame } from '../record/result/result.ts';
import {
  blameForUnclear,
  classify,
  describeAnswer,
  isLeftOpen,
  isPlainFault,
  isRefusedByStatus,
  refusalBlocker,
  unclearBlocker,
} from './answers/acceptance.ts';
import { errorCodeOf } from './answers/bodies.ts';
import {
  type Blocker,
  type Finding,
  fail,
  type GatewayInput,
  type GatewayJudges,
  inconclusive,
  type Judge,
  pass,
  perCase,
  type Verdict,
} from './judge.ts';

/** Each faulty request must be refused, and its correct twin accepted. For an open point, only a failure counts. */
export const judgeRefused: Judge = (input) => {
  const { id, cases, twinOf } = input;
  const explain = refusalExplainer(input);
  return casesAbout(cases, id)
    .filter(({ label }) => label.intent === 'fault')
    .map((testCase) => ({ testCase, finding: judgeRefusal(id, testCase, twinOf(testCase), explain) }))
    .filter(({ testCase, finding }) => finding.outcome === 'fail' || !isLeftOpen(testCase.label));
};

/** Judges cases that must be accepted. If the twin was refused too, a refusal proves nothing. */
export const judgeAccepted: Judge = (input) => verdictsOn(input, casesAbout(input.cases, input.id));

const casesAbout = memoizeGroups(({ label }) => label.about);

/** Judges every ordinary valid request, because a gateway may accept most of them and refuse one. */
function validRequestJudge(operation: Operation): Judge {
  return (input) =>
    verdictsOn(
      input,
      input.cases.filter(
        ({ label }) =>
          label.intent === 'valid' &&
          label.operation === operation &&
          label.differsIn === undefined &&
          (label.facts?.gate ?? 'open') === 'open' &&
          (label.about === undefined || label.about === input.id),
      ),
    );
}

function verdictsOn(input: GatewayInput, chosen: readonly Case[]): readonly Verdict[] {
  const explain = refusalExplainer(input);
  return chosen.map((testCase) => ({
    testCase,
    finding: judgeAcceptance(input.id, testCase, input.twinOf(testCase), explain),
  }));
}

/** Judges each answer to the operation, except refusals in a form that the document leaves open (A35). */
export function answerJudge(operation: Operation) {
  return (judge: (exchange: Exchange, testCase: Case) => Finding | null): Judge =>
    perCase(
      (testCase) => judge(testCase.exchanges[0], testCase),
      (cases) => answers(cases, operation),
    );
}

const answers = memoizeGroups((testCase) =>
  testCase.exchanges[0].response === undefined || isRefusedByStatus(testCase) ? undefined : testCase.label.operation,
);

/** Drops cases without a key. Memoized, so that all requirements share the groups. */
function memoizeGroups<Key>(
  keyOf: (testCase: Case) => Key | undefined,
): (cases: readonly Case[], key: Key) => readonly Case[] {
  const groups = memoize((cases: readonly Case[]) => groupBy(cases, keyOf));
  return (cases, key) => groups(cases).get(key) ?? [];
}

/** The twin that the label names. Undefined if the label names no twin, or if the run did not perform the twin. */
export function namedTwin({ label: { twin } }: Case, cases: readonly Case[]): Case | undefined {
  return twin && caseIndex(cases).get(`${twin.scenario}#${twin.number}`);
}

const caseIndex = memoize(
  (cases: readonly Case[]) => new Map(cases.map((testCase) => [`${testCase.scenario}#${testCase.number}`, testCase])),
);

/** The next valid request to this address, if possible an accepted one. For a closing gate: to any free gate. */
export function laterTwin(testCase: Case, cases: readonly Case[]): Case | undefined {
  const isClosing = testCase.label.facts?.gate === 'closing';
  const valid = validRequests(cases).get(isClosing ? addressWithoutEndpoint(testCase) : addressOf(testCase));
  return valid && (firstLater(testCase, valid.accepted) ?? firstLater(testCase, valid.all));
}

const validRequests = memoize((cases: readonly Case[]) => {
  const addressed = cases.flatMap((one) => {
    const { intent, facts } = one.label;
    if (intent !== 'valid') return [];
    const isFree = facts?.gate === undefined || facts.gate === 'open';
    return [addressOf(one), ...(isFree ? [addressWithoutEndpoint(one)] : [])].map((address) => ({ address, one }));
  });
  const valid = new Map<string, { readonly all: readonly Case[]; readonly accepted: readonly Case[] }>();
  for (const [address, found] of groupBy(addressed, ({ address }) => address)) {
    const all = found.map(({ one }) => one);
    valid.set(address, { all, accepted: all.filter((one) => classify(one) === 'accepted') });
  }
  return valid;
});

function firstLater(testCase: Case, cases: readonly Case[]): Case | undefined {
  const { startedAt } = testCase.exchanges[0];
  return cases.find((one) => one !== testCase && one.exchanges[0].startedAt >= startedAt);
}

function addressOf({ label, exchanges: [{ request }] }: Case): string {
  return JSON.stringify([label.operation, request.host, pathOf(request.target)]);
}

/** While a gate is closing, another endpoint may accept the same request. So compare addresses without the endpoint. */
function addressWithoutEndpoint({ label, exchanges: [{ request }] }: Case): string {
  return JSON.stringify([label.operation, request.host, pathOf(request.target).replace(/[^/]*$/, '')]);
}

function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '');
}

function judgeRefusal(id: RequirementId, testCase: Case, twin: Case | undefined, explain: ExplainRefusal): Finding {
  const fault = testCase.label.differsIn ?? 'the fault';
  const accepted = acceptance(testCase, id);
  const twinAccepted = twin && acceptance(twin, id);
  const twinAnswer = () => describeAnswer(twin!.exchanges[0]);
  // A repeated nonce is a fault only if the first request with this nonce was accepted (RFC 5849 3.2).
  if (accepted === 'yes' && id.endsWith('-reused-nonce-refused') && twin !== undefined && twinAccepted !== 'yes') {
    return inconclusive(
      `accepted, but the first request with this nonce was not accepted: ${twinAnswer()}`,
      'subject',
      twinAccepted === 'no' ? refusalBlocker(twin) : unclearBlocker(twin),
    );
  }
  if (accepted === 'yes') {
    const suffix = classify(testCase) === 'past-authentication' ? ', which shows that it passed authentication' : '';
    const actual = `${describeAnswer(testCase.exchanges[0])}${suffix}`;
    return fail(`a refusal of ${fault.replace(/^(?=no )/, 'a request with ')}`, actual);
  }
  if (accepted === 'unclear') return unclearFinding(testCase);
  if (twin === undefined) return inconclusive('the accepted twin of this case is missing', 'configuration');
  if (twinAccepted === 'yes') return pass();
  if (twinAccepted === 'unclear') {
    return inconclusive(
      `refused, but ${nameOf(twin, testCase)} was neither accepted nor refused: ${twinAnswer()}`,
      blameFor(twin),
      unclearBlocker(twin),
    );
  }
  const difference = isNamed(twin, testCase) ? `, which differs only in ${fault},` : '';
  const explanation = explain(twin);
  return inconclusive(
    `refused, but ${nameOf(twin, testCase)}${difference} was refused too: ${twinAnswer()}${explanation?.suffix ?? ''}`,
    explanation === undefined ? 'subject' : 'unspecified',
    explanation?.because ?? refusalBlocker(twin),
  );
}

function judgeAcceptance(id: RequirementId, testCase: Case, twin: Case | undefined, explain: ExplainRefusal): Finding {
  const accepted = acceptance(testCase, id);
  if (accepted === 'yes') {
    const closing = classify(testCase) === 'past-authentication';
    return pass(closing ? 'the gate was closing: error 99 shows that the request passed authentication' : undefined);
  }
  if (accepted === 'unclear') return unclearFinding(testCase);
  const actual = describeAnswer(testCase.exchanges[0]);
  const { operation } = testCase.label;
  if (testCase.label.twin === undefined || (twin !== undefined && classify(twin) === 'accepted')) {
    // A gateway-specific errorCode does not excuse a refused close-day, because the tested content may be its cause.
    const isExcusable = testCase.label.twin === undefined ? operation !== 'close-day' : hasPaymentTwice(testCase);
    const explanation = isExcusable ? explain(testCase) : undefined;
    return explanation === undefined
      ? fail('the request is accepted', actual)
      : inconclusive(`not accepted: ${actual}${explanation.suffix}`, 'unspecified', explanation.because);
  }
  if (twin === undefined) return inconclusive('not accepted, but its twin is missing', 'configuration');
  const isRefused = acceptance(twin, id) === 'no';
  const explanation = isRefused ? explain(twin) : undefined;
  return inconclusive(
    `not accepted, but ${nameOf(twin, testCase)} was not accepted: ${describeAnswer(twin.exchanges[0])}${explanation?.suffix ?? ''}`,
    explanation === undefined ? blameFor(twin) : 'unspecified',
    explanation?.because ?? (isRefused ? refusalBlocker(twin) : unclearBlocker(twin)),
  );
}

function unclearFinding(testCase: Case): Finding {
  return inconclusive(
    `neither accepted nor refused: ${describeAnswer(testCase.exchanges[0])}`,
    blameFor(testCase),
    unclearBlocker(testCase),
  );
}

/** Error 99 is no fault of the subject: it only says that the gate is closing. */
function blameFor(testCase: Case): Blame {
  return classify(testCase) === 'past-authentication' ? 'environment' : blameForUnclear(testCase.exchanges[0]);
}

function nameOf(twin: Case, testCase: Case): string {
  return isNamed(twin, testCase) ? 'its twin' : 'the correct request after it';
}

function isNamed(twin: Case, { label }: Case): boolean {
  return label.twin !== undefined && twin.scenario === label.twin.scenario && twin.number === label.twin.number;
}

/** Error 99 shows that the request passed authentication, but not that its fields are valid. */
function acceptance(testCase: Case, id: RequirementId): 'yes' | 'no' | 'unclear' {
  const answer = classify(testCase);
  if (answer === 'past-authentication') return id.startsWith('authentication/') ? 'yes' : 'unclear';
  return ({ accepted: 'yes', refused: 'no', unclear: 'unclear' } as const)[answer];
}

const totalNames = closeDayFieldNames.slice(1);

/** Judges close-days with one total. If all of these are accepted, also judges close-days with all totals. */
const totalJudge: Judge = (input) => {
  const verdicts = judgeAccepted(input);
  const { cases, twinOf } = input;
  const singles = cases.filter(({ label }) => label.about?.startsWith('close-day/accepts-'));
  const acceptedIds = new Set(singles.filter((one) => classify(one) === 'accepted').map(({ label }) => label.about));
  if (acceptedIds.size < totalNames.length || singles.some((one) => classify(one) !== 'accepted')) return verdicts;
  const refused = cases.filter((one) => {
    const twin = hasAllTotals(one) && classify(one) === 'refused' ? twinOf(one) : undefined;
    return twin !== undefined && classify(twin) === 'accepted';
  });
  const expected = 'all totals together are accepted, because each total alone is accepted';
  return [
    ...verdicts,
    ...refused.map((testCase) => ({ testCase, finding: fail(expected, describeAnswer(testCase.exchanges[0])) })),
  ];
};

function hasAllTotals({ label: { operation, intent }, exchanges: [{ request }] }: Case): boolean {
  if (operation !== 'close-day' || intent !== 'valid') return false;
  const sent = decodeForm(request.body).map(([name]) => name);
  return totalNames.every((name) => sent.includes(name));
}

/** Returns the open point (A6, A7 or A12) that may explain a refusal. The finding ends with the text in `suffix`. */
type ExplainRefusal = (refused: Case) => { readonly because: Blocker; readonly suffix: string } | undefined;

function refusalExplainer(input: GatewayInput): ExplainRefusal {
  return (refused) => {
    if (hasPaymentTwice(refused)) {
      return { because: repeatedPayment, suffix: '; whether a batch may have a recurring payment twice is open (A7)' };
    }
    if (refused.label.operation === 'process-recurring-payments') {
      const { form: accepted } = acceptedForm(input);
      if (accepted === undefined) return undefined;
      const suffix = `; the same batch with ${accepted} was accepted, and the document leaves this form open (A12)`;
      const text = `correct batches were refused, and the same batches with ${accepted} were accepted: the document leaves this form open`;
      return { because: { text, openPoint: 'A12' }, suffix };
    }
    const code = gatewaySpecificCodes(input.cases)(refused);
    return code === undefined ? undefined : { because: codeBlocker(code), suffix: '' };
  };
}

/** True if a batch has a payment twice, as in live runs whose configuration has only one payment. */
function hasPaymentTwice({ label, exchanges: [{ request }] }: Case): boolean {
  if (label.operation !== 'process-recurring-payments' || label.intent !== 'valid') return false;
  const payload = decodeForm(request.body).find(([name]) => name === 'payload')?.[1] ?? '';
  const ids = paymentIdsIn(Buffer.from(payload, 'base64').toString('utf8'));
  return new Set(ids).size < ids.length;
}

function paymentIdsIn(csv: string): string[] {
  try {
    const { columns, rows } = decodeCsv(csv);
    const at = columns.indexOf('recurring-payment-id');
    return rows.flatMap((cells) => cells[at] || []);
  } catch (cause) {
    if (cause instanceof ProtocolError) return [];
    throw cause;
  }
}

/** The CSV form (A12) that the target seems to require: it accepted all (at least 2) such batches, but no plain one. */
const acceptedForm = memoize(({ cases, twinOf }: GatewayInput): { readonly form?: string } => {
  const isPlain = ({ label: { intent, operation } }: Case) =>
    intent === 'valid' && operation === 'process-recurring-payments';
  if (cases.some((one) => isPlain(one) && classify(one) === 'accepted')) return {};
  const candidates = cases.filter((one) => {
    const twin = one.label.openPoint === 'A12' ? twinOf(one) : undefined;
    return twin !== undefined && classify(twin) === 'refused';
  });
  const groups = [...groupBy(candidates, ({ label }) => label.differsIn)];
  return { form: groups.find(([, all]) => all.length >= 2 && all.every((one) => classify(one) === 'accepted'))?.[0] };
});

/** Makes refusals with a gateway-specific code inconclusive: the gate may be busy, or the day already closed. */
function ignoringGatewaySpecificCodes(judge: Judge): Judge {
  return (input) =>
    judge(input).map(({ testCase, finding }) => {
      const code = finding.outcome === 'fail' ? gatewaySpecificCodes(input.cases)(testCase) : undefined;
      if (code === undefined) return { testCase, finding };
      return { testCase, finding: inconclusive(`not accepted: ${finding.actual}`, 'unspecified', codeBlocker(code)) };
    });
}

/** The errorCode of a refusal, if no faulty request got it (A6). Undefined if no valid close-day was authenticated. */
const gatewaySpecificCodes = memoize((cases: readonly Case[]): ((refused: Case) => string | undefined) => {
  const ofCloseDay = cases.filter(({ label }) => label.operation === 'close-day');
  const isAuthenticated = (one: Case) => ['accepted', 'past-authentication'].includes(classify(one));
  if (!ofCloseDay.some((one) => one.label.intent === 'valid' && isAuthenticated(one))) return () => undefined;
  const faulty = ofCloseDay.filter((one) => one.label.intent === 'fault' && classify(one) === 'refused');
  const codesOfFaulty = new Set(faulty.map(({ exchanges: [exchange] }) => errorCodeOf(exchange)));
  return ({ exchanges: [exchange] }) => {
    const code = errorCodeOf(exchange);
    return codesOfFaulty.has(code) ? undefined : code;
  };
});

/** A proxy or a busy gateway may send these statuses. So they count only if no failure has the documented form. */
const transientStatuses = [408, 425, 429, 502, 503, 504];

/** Reports refusals in an undocumented form (4.1, 4.2, 7). Ignores a single unclear answer: it may be an accident. */
export function undocumentedFailures(
  { cases, twinOf }: GatewayInput,
  operation: Operation,
  isDocumented: (testCase: Case) => boolean,
  expected: string,
): readonly Verdict[] {
  const failing = cases.filter((testCase) => {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    if (label.operation !== operation || !isPlainFault(label) || exchange.response === undefined) return false;
    const answer = classify(testCase);
    const kind = requirementById(label.about ?? '')?.kind;
    const isClientError = exchange.response.status >= 400 && exchange.response.status < 500;
    const isFailure = answer === 'refused' || kind === 'required' || (kind === 'expected' && isClientError);
    if (!isFailure || answer === 'accepted' || answer === 'past-authentication') return false;
    const twin = twinOf(testCase);
    return twin !== undefined && classify(twin) === 'accepted';
  });
  const undocumented = failing.filter((testCase) => !isDocumented(testCase) && httpStatus(testCase) !== 200);
  const isConsistent = undocumented.length === failing.length;
  const counted = undocumented.filter((testCase) => isConsistent || !transientStatuses.includes(httpStatus(testCase)));
  const unclear = counted.filter((testCase) => classify(testCase) === 'unclear');
  const certain = unclear.length < 2 ? counted.filter((testCase) => !unclear.includes(testCase)) : counted;
  return certain.map((testCase) => ({ testCase, finding: fail(expected, describeAnswer(testCase.exchanges[0])) }));
}

function httpStatus({ exchanges: [exchange] }: Case): number {
  return exchange.response!.status;
}

function codeBlocker(code: string): Blocker {
  return {
    text: `the gateway refused correct requests with errorCode ${code}, but no faulty request: the document leaves the meaning of this code open`,
    openPoint: 'A6',
  };
}

const repeatedPayment: Blocker = {
  text: 'the gateway refused batches that name one recurring payment twice, and the document leaves open whether it may: list two payments in the configuration',
  openPoint: 'A7',
};

type AcceptanceId = Extract<
  TestableId<'gateway'>,
  `${string}-${'refused' | 'enforced' | 'accepted'}` | `${string}/accepts-${string}`
>;
const kinds: readonly (readonly [RegExp, Judge])[] = [
  [/-(?:refused|enforced)$/, judgeRefused],
  [/-accepted$/, judgeAccepted],
  [/\/accepts-/, totalJudge],
];

const judgesById = Object.fromEntries(
  requirements.flatMap(({ id, side }) => {
    const judge = kinds.find(([form]) => form.test(id))?.[1];
    return side === 'gateway' && judge !== undefined ? [[id, judge]] : [];
  }),
) as Record<AcceptanceId, Judge>;

export const acceptanceJudges = {
  ...judgesById,
  'authentication/close-day-valid-accepted': ignoringGatewaySpecificCodes(validRequestJudge('close-day')),
  'authentication/recurring-valid-accepted': validRequestJudge('process-recurring-payments'),
} satisfies GatewayJudges;
