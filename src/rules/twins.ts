/** Judges of acceptance and refusal. A refusal is evidence only if the twin without the fault was accepted. */
import type { Operation } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { closeDayFieldNames } from '../protocol/close-day.ts';
import { decodeForm } from '../protocol/form.ts';
import type { Case } from '../record/case.ts';
import { groupBy } from '../record/group-by.ts';
import { memoize } from '../record/memoize.ts';
import type { Blame } from '../record/result/result.ts';
import {
  blameForUnclear,
  classify,
  describeAnswer,
  isLeftOpen,
  refusedTwin,
  unclearAnswer,
} from './answers/acceptance.ts';
import type { Finding, GatewayInput, Judge, Verdict } from './judge.ts';
import { fail, groupedOnce, inconclusive, pass } from './judge.ts';
import { hasPaymentTwice, type Open, openIn } from './open-refusals.ts';

/** Each faulty case must be refused, and its twin accepted. If the form of the refusal is open, only an acceptance counts. */
export const refused: Judge = (input) => {
  const { id, cases, twinOf } = input;
  const open = openIn(input);
  return casesAbout(cases, id)
    .filter(({ label }) => label.intent === 'fault')
    .map((testCase) => ({ testCase, finding: judgeRefusal(id, testCase, twinOf(testCase), open) }))
    .filter(({ testCase, finding }) => finding.outcome === 'fail' || !isLeftOpen(testCase.label));
};

/** Judges the cases that must be accepted. If the twin of a case was refused, a refusal of the case is no evidence. */
export const accepted: Judge = (input) => acceptanceOf(input, casesAbout(input.cases, input.id));

const casesAbout = groupedOnce(({ label }) => label.about);

/** Judges all ordinary valid requests, including twins, because a gateway may refuse only one in a hundred. */
export function rightAccepted(operation: Operation): Judge {
  return (input) =>
    acceptanceOf(
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

function acceptanceOf(input: GatewayInput, chosen: readonly Case[]): readonly Verdict[] {
  const open = openIn(input);
  return chosen.map((testCase) => ({
    testCase,
    finding: judgeAcceptance(input.id, testCase, input.twinOf(testCase), open),
  }));
}

/** The first accepted valid request after the case, to the same address or a free gate. In live runs it is the twin of refusals. */
export function laterTwin(testCase: Case, cases: readonly Case[]): Case | undefined {
  const isClosing = testCase.label.facts?.gate === 'closing';
  const right = rightRequests(cases).get(isClosing ? freeGateBeside(testCase) : addressOf(testCase));
  return right && (firstLater(testCase, right.accepted) ?? firstLater(testCase, right.all));
}

const rightRequests = memoize((cases: readonly Case[]) => {
  const addressed = cases.flatMap((one) => {
    const { intent, facts } = one.label;
    if (intent !== 'valid') return [];
    const isFree = facts?.gate === undefined || facts.gate === 'open';
    return [addressOf(one), ...(isFree ? [freeGateBeside(one)] : [])].map((address) => ({ address, one }));
  });
  const right = new Map<string, { readonly all: readonly Case[]; readonly accepted: readonly Case[] }>();
  for (const [address, found] of groupBy(addressed, ({ address }) => address)) {
    const all = found.map(({ one }) => one);
    right.set(address, { all, accepted: all.filter((one) => classify(one) === 'accepted') });
  }
  return right;
});

function firstLater(testCase: Case, cases: readonly Case[]): Case | undefined {
  const { startedAt } = testCase.exchanges[0];
  return cases.find((one) => one !== testCase && one.exchanges[0].startedAt >= startedAt);
}

function addressOf({ label, exchanges: [{ request }] }: Case): string {
  return JSON.stringify([label.operation, request.host, pathOf(request.target)]);
}

/** A key without the endpoint id: if a gate is closing, another endpoint may accept the same request. */
function freeGateBeside({ label, exchanges: [{ request }] }: Case): string {
  return JSON.stringify([label.operation, request.host, pathOf(request.target).replace(/[^/]*$/, '')]);
}

function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '');
}

function judgeRefusal(id: RequirementId, testCase: Case, twin: Case | undefined, open: Open): Finding {
  const what = testCase.label.differsIn ?? 'the fault';
  const answer = meaning(testCase, id);
  const twinMeaning = twin && meaning(twin, id);
  const twinAnswer = () => describeAnswer(twin!.exchanges[0]);
  // An accepted fault usually fails without a twin. But a nonce is used up only by an accepted request (RFC 5849 section 3.2).
  if (answer === 'yes' && id.endsWith('-reused-nonce-refused') && twin !== undefined && twinMeaning !== 'yes') {
    return inconclusive(
      `accepted, but the first request with this nonce was not accepted: ${twinAnswer()}`,
      'subject',
      twinMeaning === 'no' ? refusedTwin(twin) : unclearAnswer(twin),
    );
  }
  if (answer === 'yes')
    return fail(`a refusal of ${what.replace(/^(?=no )/, 'a request with ')}`, describeAnswer(testCase.exchanges[0]));
  if (answer === 'unclear') return unclearFinding(testCase);
  if (twin === undefined) return inconclusive('the accepted twin of this case is missing', 'configuration');
  if (twinMeaning === 'yes') return pass();
  if (twinMeaning === 'unclear') {
    return inconclusive(
      `refused, but ${nameOf(twin, testCase)} was neither accepted nor refused: ${twinAnswer()}`,
      blameFor(twin),
      unclearAnswer(twin),
    );
  }
  const difference = isNamed(twin, testCase) ? `, which differs only in ${what},` : '';
  const left = open(twin);
  return inconclusive(
    `refused, but ${nameOf(twin, testCase)}${difference} was refused too: ${twinAnswer()}${left?.says ?? ''}`,
    left === undefined ? 'subject' : 'unspecified',
    left?.because ?? refusedTwin(twin),
  );
}

function judgeAcceptance(id: RequirementId, testCase: Case, twin: Case | undefined, open: Open): Finding {
  const answer = meaning(testCase, id);
  if (answer === 'yes') {
    const closing = classify(testCase) === 'past-authentication';
    return pass(closing ? 'the gate was closing: error 99 shows that the request passed authentication' : undefined);
  }
  if (answer === 'unclear') return unclearFinding(testCase);
  const actual = describeAnswer(testCase.exchanges[0]);
  const { operation } = testCase.label;
  if (testCase.label.twin === undefined || (twin !== undefined && classify(twin) === 'accepted')) {
    // A gateway-specific code does not excuse a refused close-day: it may refuse exactly what this request tests.
    const mayBe = testCase.label.twin === undefined ? operation !== 'close-day' : hasPaymentTwice(testCase);
    const left = mayBe ? open(testCase) : undefined;
    return left === undefined
      ? fail('the request is accepted', actual)
      : inconclusive(`not accepted: ${actual}${left.says}`, 'unspecified', left.because);
  }
  if (twin === undefined) return inconclusive('not accepted, but its twin is missing', 'configuration');
  const isRefused = meaning(twin, id) === 'no';
  const left = isRefused ? open(twin) : undefined;
  return inconclusive(
    `not accepted, but ${nameOf(twin, testCase)} was not accepted: ${describeAnswer(twin.exchanges[0])}${left?.says ?? ''}`,
    left === undefined ? blameFor(twin) : 'unspecified',
    left?.because ?? (isRefused ? refusedTwin(twin) : unclearAnswer(twin)),
  );
}

function unclearFinding(testCase: Case): Finding {
  return inconclusive(
    `neither accepted nor refused: ${describeAnswer(testCase.exchanges[0])}`,
    blameFor(testCase),
    unclearAnswer(testCase),
  );
}

/** Error 99 is no fault of the subject: it reports a closing gate, which is a state of the target. */
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
function meaning(testCase: Case, id: RequirementId): 'yes' | 'no' | 'unclear' {
  const answer = classify(testCase);
  if (answer === 'past-authentication') return id.startsWith('authentication/') ? 'yes' : 'unclear';
  return ({ accepted: 'yes', refused: 'no', unclear: 'unclear' } as const)[answer];
}

const totals = closeDayFieldNames.slice(1);

/** Judges totals that are sent alone and together. If one total is refused alone, a refusal of all together is not judged. */
export const totalAccepted: Judge = (input) => {
  const alone = accepted(input);
  const { cases, twinOf } = input;
  const each = cases.filter(({ label }) => label.about?.startsWith('close-day/accepts-'));
  const taken = new Set(each.filter((one) => classify(one) === 'accepted').map(({ label }) => label.about));
  if (taken.size < totals.length || each.some((one) => classify(one) !== 'accepted')) return alone;
  const refused = cases.filter((one) => {
    const twin = holdsAll(one) && classify(one) === 'refused' ? twinOf(one) : undefined;
    return twin !== undefined && classify(twin) === 'accepted';
  });
  const expected = 'all totals are accepted together, since each total alone is accepted';
  return [
    ...alone,
    ...refused.map((testCase) => ({ testCase, finding: fail(expected, describeAnswer(testCase.exchanges[0])) })),
  ];
};

function holdsAll({ label: { operation, intent }, exchanges: [{ request }] }: Case): boolean {
  if (operation !== 'close-day' || intent !== 'valid') return false;
  const sent = decodeForm(request.body).map(([name]) => name);
  return totals.every((name) => sent.includes(name));
}
