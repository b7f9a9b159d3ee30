/**
 * The same calls under other time zones and locales: neither what is sent nor what is read of the answer may depend on them
 * (sections 2.1 to 2.4).
 */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { errorBody, finishedBody, type GateTexts, plainGate, serial, serialOfBatch, serialOfError } from './answers.ts';
import type { ClientPlan, ClientScenario } from './client-scenario.ts';
import { finishedRows, lockedRows } from './gate-answers.ts';
import { htmlQuestion, recurringQuestion } from './questions.ts';
import { closeDayCase, fullCloseDay, paymentBatch, recurringCase, type WireLabel } from './wire-plans.ts';

/** A day ahead of the rest, a zone with daylight saving, a letter i without its dot, a decimal comma, and plain ASCII. */
const variableSets: readonly Readonly<Record<string, string>>[] = [
  {},
  { TZ: 'Pacific/Kiritimati' },
  { TZ: 'Europe/Berlin' },
  { LC_ALL: 'tr_TR.UTF-8' },
  { LC_ALL: 'de_DE.UTF-8' },
  { LC_ALL: 'C' },
];

/** A difference counts only where two runs in one environment agree; and of an answer that has two forms each has one. */
const rounds = [1, 2];

const gateRows = [...new Set([...finishedRows, ...lockedRows])];

const acceptedRows = [
  'recurring/decodes-response-type',
  'recurring/decodes-parameters',
] as const satisfies readonly TestableId<'client'>[];

/** An hour that Berlin skips, a day that is the next year elsewhere, months of other names, and a lock whose name has an i. */
const gates: readonly GateTexts[] = [
  { ...plainGate, gateId: '21', gateCloseDate: 'Sun Mar 31 02:30:00 UTC 2024', saleAmount: '1234.50' },
  { ...plainGate, gateId: '22', gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024', isDayClosing: true },
];

const message = 'Stra\u00dfe \u6f22\u{1f600} TITLE title \u0130\u0131 1,234.50';

/** One scenario for both operations: a client is started anew for each environment, and starting is what takes long. */
export const environments: ClientScenario = {
  id: 'transport/environments',
  operation: 'both',
  title: 'Both operations under other time zones and locales',
  shows: [
    'close-day/environment-independent',
    'recurring/environment-independent',
    ...gateRows,
    'close-day/decodes-error',
    'recurring/decodes-validation-error',
    ...acceptedRows,
  ],
  plan: () => [
    ...permuted('fields', 'close-day/environment-independent', dayAnswered, (label, details) =>
      closeDayCase(
        { ...fullCloseDay, day_close_request_id: 'TITLEiI12', sale_approved_sum: '1234.50' },
        label,
        details,
      ),
    ),
    ...permuted('rows', 'recurring/environment-independent', batchRefused, (label, details) =>
      recurringCase(
        paymentBatch(['TITLEiI-12', '0000000042', '1234.50'], ['order-2', 'TITLEiI012', '0.10']),
        label,
        details,
      ),
    ),
    ...permuted('rows beyond ASCII', 'recurring/environment-independent', batchAccepted, (label, details) =>
      recurringCase(
        paymentBatch(['Stra\u00dfe \u6f22', '0000000042', '1.00']),
        { ...label, input: 'hardening' },
        details,
      ),
    ),
  ],
};

/** One input in every environment, twice. `ask` has the answer there, in as many forms as there are rounds. */
function permuted(
  group: string,
  about: TestableId<'client'>,
  ask: (environment: string) => readonly ClientPlan[],
  make: (label: WireLabel, details: Pick<ClientPlan, 'environment' | 'answer'>) => ClientPlan,
): ClientPlan[] {
  return variableSets.flatMap((variables) => {
    const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`)[0] ?? 'ordinary';
    const answers = ask(environment);
    return rounds.map((round) => {
      const { answer, label } = answers[round - 1]!;
      const plan = make(
        {
          input: 'mandatory',
          about,
          special: `${group} under ${environment}`,
          permutation: { group, environment, round },
        },
        environment === 'ordinary' ? { answer } : { answer, environment: variables },
      );
      return { ...plan, label: { ...plan.label, decoding: label.decoding } };
    });
  });
}

/** Where characters beyond ASCII are in doubt an error has some; elsewhere dates, amounts and names are. */
function dayAnswered(environment: string): ClientPlan[] {
  if (environment !== 'LC_ALL=C') {
    const expected = { kind: 'finished', serial, gates: gates.map((gate) => ({ ...gate })) } as const;
    return htmlQuestion(
      { question: `a closed day under ${environment}`, answers: gateRows, expected },
      finishedBody(gates),
    );
  }
  const expected = { kind: 'error', errorCode: '7', errorMessage: message, serial: serialOfError } as const;
  return htmlQuestion(
    { question: `an error under ${environment}`, answers: ['close-day/decodes-error'], expected },
    errorBody('"7"', `"${message}"`),
  );
}

function batchRefused(environment: string): ClientPlan[] {
  return batchAnswered(
    `a refused batch under ${environment}`,
    ['recurring/decodes-validation-error'],
    [
      ['type', 'validation-error'],
      ['serial-number', serialOfBatch],
      ['error-message', message],
      ['error-code', '403'],
    ],
  );
}

function batchAccepted(environment: string): ClientPlan[] {
  return batchAnswered(`an accepted batch under ${environment}`, acceptedRows, [
    ['type', 'process-recurring-payment-response'],
    ['status', 'processing'],
    ['serial-number', serialOfBatch],
  ]);
}

function batchAnswered(
  question: string,
  answers: readonly TestableId<'client'>[],
  params: readonly (readonly [name: string, value: string])[],
): ClientPlan[] {
  const escaped = params.map(([name, value]) => [name, encodeURIComponent(value)] as const);
  return recurringQuestion({ question, answers, expected: { kind: 'parameters', params } }, [200], escaped);
}
