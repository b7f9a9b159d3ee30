/** Varies the address, the credentials, the time zone and the locale of a client (sections 0, 2, 4 and 5). */
import * as fc from 'fast-check';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import {
  consumers,
  longNonceAndTime,
  oddEndpointId,
  plausibleEndpointId,
  plausiblePrefix,
  reservedPrefix,
} from '../../../generators/consumer.ts';
import type { Gate } from '../../protocol/close-day.ts';
import type { ServerKind } from '../../record/case.ts';
import type { ClientDraw, ClientPlan, ClientScenario } from '../scenario.ts';
import {
  acceptance,
  clientScenario,
  closeDayCase,
  type Details,
  errorBody,
  failure,
  finishedBody,
  finishedReading,
  fullCloseDay,
  htmlQuestion,
  paymentBatch,
  plainCells,
  plainGate,
  recurringCase,
  recurringQuestion,
  serialOfError,
  type WireLabel,
} from './cases.ts';
import { gateRows } from './decoding.ts';
import { wireRows } from './inputs.ts';

export const surroundingScenarios: readonly ClientScenario[] = [
  clientScenario('transport/paths', ['close-day/path', 'recurring/path', 'authentication/signature-verifies'], () => [
    ...bothOperations('mandatory', 'path', 'capitals in the prefix', { pathSuffix: '/PayNet' }),
    ...bothOperations('mandatory', 'path', 'an endpoint of one digit', { endpointId: '7' }),
    ...bothOperations('hardening', 'path', 'an escape in the prefix', { pathSuffix: '/pay%20n%C3%AAt' }),
    // One operation is enough, because both operations sign paths in the same way.
    ...bothOperations('hardening', 'path', 'two slashes in the prefix', { pathSuffix: '/pay//net' }).slice(0, 1),
    ...bothOperations('hardening', 'path', 'an endpoint with leading zeros, and more than a double holds', {
      endpointId: '009007199254740993',
    }),
    ...bothOperations('hardening', 'path', 'an endpoint with letters', { endpointId: 'Endpoint-7' }),
  ])`Base URLs whose path has capitals or escapes, and unusual endpoints`,
  clientScenario('authentication/hosts-and-ports', ['uri-host-case', 'uri-default-port'], () => [
    ...servedBy('mixed-case-host', 'authentication/uri-host-case'),
    ...servedBy('explicit-default-port', 'authentication/uri-default-port'),
  ])`Base URLs with capitals in the host, or with an explicit default port`,
  clientScenario('transport/certificates', ['https'], () =>
    (['other-authority', 'wrong-name', 'expired'] as const).flatMap((server) => servedBy(server, 'transport/https')),
  )`Servers with a certificate that a client must not trust`,
  clientScenario(
    'authentication/reserved-characters',
    ['consumer-key', 'header-values-encoded', 'signature-verifies'],
    () =>
      // Each operation gets its own consumer key, so that more keys are tested. Only close-day uses the secret.
      bothOperations('hardening', 'authentication/consumer-key', 'credentials with reserved characters').map(
        (plan, at) => ({ ...plan, identity: at === 0 ? 'punctuation' : 'reserved-characters' }) as const,
      ),
  )`A consumer key and a secret with reserved characters`,
  clientScenario('authentication/letter-case', ['consumer-key', 'signature-verifies'], () =>
    bothOperations('mandatory', 'authentication/consumer-key', 'credentials with letters of both cases', {
      identity: 'both-cases',
    }),
  )`A consumer key and a long secret with upper-case and lower-case letters`,
  clientScenario('authentication/nonces', ['nonce-unique'], () =>
    Array.from({ length: 8 }, () =>
      bothOperations('mandatory', 'authentication/nonce-unique', 'one of many at once'),
    ).flat(),
  )`Both operations, called many times in one second`,
  clientScenario(
    'authentication/injected',
    wireRows,
    // Both days have the same calls, so their requests may differ only in timestamp, nonce and signature.
    () => ['1700000000', '1700086400'].flatMap(injectedCalls),
  )`The same calls on two days. The suite sets their timestamps and nonces`,
  clientScenario('authentication/generated', wireRows, (draw) => [
    ...drawnSurroundings.flatMap((drawn) => drawnCalls(drawn, draw)),
    recurringCase(
      paymentBatch(plainCells),
      { input: 'probe', special: 'private key as PKCS#1' },
      { keyForm: 'PKCS#1' },
    ),
  ])`Calls with generated consumers, prefixes, endpoints, nonces and timestamps, and a call with a PKCS#1 private key`,
];

interface DrawnSurroundings {
  readonly special: string;
  readonly input: 'mandatory' | 'hardening';
  readonly about?: TestableId<'client'>;
  /** Set to test the secret, which only close-day uses. By default, the client calls both operations. */
  readonly only?: 'close-day';
  readonly details: fc.Arbitrary<Details>;
}

const drawnSurroundings: readonly DrawnSurroundings[] = [
  ...consumers.map(
    ({ feature, isReserved, arbitrary }): DrawnSurroundings => ({
      special: `a secret with ${feature}`,
      input: isReserved ? 'hardening' : 'mandatory',
      about: 'authentication/consumer-key',
      only: 'close-day',
      details: arbitrary.map((identity) => ({ identity })),
    }),
  ),
  {
    special: 'a consumer, a prefix and an endpoint',
    input: 'mandatory',
    details: fc.record({
      identity: fc.oneof(...consumers.flatMap(({ isReserved, arbitrary }) => (isReserved ? [] : [arbitrary]))),
      pathSuffix: plausiblePrefix,
      endpointId: plausibleEndpointId,
    }),
  },
  {
    special: 'a prefix with a reserved character',
    input: 'hardening',
    details: fc.record({ pathSuffix: reservedPrefix }),
  },
  { special: 'an unusual endpoint', input: 'hardening', details: fc.record({ endpointId: oddEndpointId }) },
  {
    special: 'a long nonce and a timestamp after 2038',
    input: 'hardening',
    about: 'authentication/signature-verifies',
    details: longNonceAndTime.map((inject) => ({ inject })),
  },
];

function drawnCalls({ special, input, about, only, details }: DrawnSurroundings, draw: ClientDraw): ClientPlan[] {
  const count = Math.ceil(draw.cases / 12);
  return (only === undefined ? [0, 1] : [0]).flatMap((at) =>
    draw.generate(details, count, (drawn) => bothOperations(input, about ?? 'path', special, drawn)[at]!),
  );
}

function bothOperations(
  input: 'mandatory' | 'hardening',
  about: TestableId<'client'> | 'path',
  special: string,
  details: Details = {},
): ClientPlan[] {
  type Path = 'close-day/path' | 'recurring/path';
  const server = details.server && { server: details.server };
  const label = (path: Path) => ({ input, about: about === 'path' ? path : about, special, ...server });
  return [
    closeDayCase(fullCloseDay, label('close-day/path'), details),
    recurringCase(paymentBatch(plainCells), label('recurring/path'), details),
  ];
}

function injectedCalls(timestamp: string): ClientPlan[] {
  return bothOperations('hardening', 'authentication/signature-verifies', `timestamp ${timestamp}`).map((plan, at) => ({
    ...plan,
    inject: { timestamp, nonce: `countersign0${at === 0 ? 'closes' : 'starts'}` },
  }));
}

function servedBy(server: ServerKind, about: TestableId<'client'>): ClientPlan[] {
  return bothOperations('mandatory', about, `server: ${server}`, { server });
}

/** They test UTC+14 (Kiritimati), daylight saving (Berlin), a dotless i (tr), a decimal comma (de) and ASCII (C). */
const variableSets: readonly Readonly<Record<string, string>>[] = [
  {},
  { TZ: 'Pacific/Kiritimati' },
  { TZ: 'Europe/Berlin' },
  { LC_ALL: 'tr_TR.UTF-8' },
  { LC_ALL: 'de_DE.UTF-8' },
  { LC_ALL: 'C' },
];

/** Makes each call twice in the same environment. If these two requests differ, the environment is not the cause. */
const rounds = [1, 2];

const acceptedRows = [
  'recurring/decodes-response-type',
  'recurring/decodes-parameters',
] as const satisfies readonly TestableId<'client'>[];

/** Dates that local time changes: in Berlin the first one does not exist; east of UTC the second one is in 2025. */
const gates: readonly Gate[] = [
  { ...plainGate, gateId: '21', gateCloseDate: 'Sun Mar 31 02:30:00 UTC 2024', saleAmount: '1234.50' },
  { ...plainGate, gateId: '22', gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024', isDayClosing: true },
];

const message = 'Stra\u00dfe \u6f22\u{1f600} TITLE title \u0130\u0131 1,234.50';

/** One scenario for both operations, because each environment needs a slow restart of the client. */
export const environments: ClientScenario = clientScenario(
  'transport/environments',
  [
    'close-day/environment-independent',
    'recurring/environment-independent',
    ...gateRows,
    'close-day/decodes-error',
    'recurring/decodes-validation-error',
    ...acceptedRows,
  ],
  () => [
    ...inEveryEnvironment('fields', 'close-day/environment-independent', closedDay, (label, details) => {
      const fields = { ...fullCloseDay, day_close_request_id: 'TITLEiI12', sale_approved_sum: '1234.50' };
      return closeDayCase(fields, label, details);
    }),
    ...inEveryEnvironment('rows', 'recurring/environment-independent', refusedBatch, (label, details) => {
      const batch = paymentBatch(['TITLEiI-12', '0000000042', '1234.50'], ['order-2', 'TITLEiI012', '0.10']);
      return recurringCase(batch, label, details);
    }),
    ...inEveryEnvironment('rows beyond ASCII', 'recurring/environment-independent', acceptedBatch, (label, details) => {
      const batch = paymentBatch(['Stra\u00dfe \u6f22', '0000000042', '1.00']);
      return recurringCase(batch, { ...label, input: 'hardening' }, details);
    }),
  ],
)`Both operations in other time zones and locales`;

function inEveryEnvironment(
  group: string,
  about: TestableId<'client'>,
  answersIn: (environment: string) => readonly ClientPlan[],
  make: (label: WireLabel, details: Pick<ClientPlan, 'environment' | 'answer'>) => ClientPlan,
): ClientPlan[] {
  return variableSets.flatMap((variables) => {
    const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`)[0] ?? 'ordinary';
    const answers = answersIn(environment);
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

function closedDay(environment: string): ClientPlan[] {
  if (environment !== 'LC_ALL=C') {
    const question = { question: `a closed day under ${environment}`, answers: gateRows };
    return htmlQuestion({ ...question, expected: finishedReading(gates) }, finishedBody(gates));
  }
  const question = { question: `an error under ${environment}`, answers: ['close-day/decodes-error'] } as const;
  const expected = { kind: 'error', errorCode: '7', errorMessage: message, serial: serialOfError } as const;
  return htmlQuestion({ ...question, expected }, errorBody('"7"', `"${message}"`));
}

function refusedBatch(environment: string): ClientPlan[] {
  const params = failure('validation-error', message);
  return recurringQuestion(`a refused batch under ${environment}`, ['recurring/decodes-validation-error'], params);
}

function acceptedBatch(environment: string): ClientPlan[] {
  return recurringQuestion(`an accepted batch under ${environment}`, acceptedRows, acceptance());
}
