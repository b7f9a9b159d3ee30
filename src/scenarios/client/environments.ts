/** The same inputs under other time zones and locales: what is sent must not depend on them (sections 2.1 and 2.3). */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientPlan, ClientScenario } from './client-scenario.ts';
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

/** A difference counts only where two runs in one environment agree. */
const rounds = [1, 2];

/** One scenario for both operations: a client is started anew for each environment, and starting is what takes long. */
export const environments: ClientScenario = {
  id: 'transport/environments',
  operation: 'both',
  title: 'Both operations under other time zones and locales',
  shows: ['close-day/environment-independent', 'recurring/environment-independent'],
  plan: () => [
    ...permuted('fields', 'close-day/environment-independent', (label, details) =>
      closeDayCase(
        { ...fullCloseDay, day_close_request_id: 'TITLEiI12', sale_approved_sum: '1234.50' },
        label,
        details,
      ),
    ),
    ...permuted('rows', 'recurring/environment-independent', (label, details) =>
      recurringCase(
        paymentBatch(['TITLEiI-12', '0000000042', '1234.50'], ['order-2', 'TITLEiI012', '0.10']),
        label,
        details,
      ),
    ),
    ...permuted('rows beyond ASCII', 'recurring/environment-independent', (label, details) =>
      recurringCase(
        paymentBatch(['Stra\u00dfe \u6f22', '0000000042', '1.00']),
        { ...label, input: 'hardening' },
        details,
      ),
    ),
  ],
};

/** One input in every environment, twice. */
function permuted(
  group: string,
  about: TestableId<'client'>,
  make: (label: WireLabel, details: Pick<ClientPlan, 'environment'>) => ClientPlan,
): ClientPlan[] {
  return variableSets.flatMap((variables) => {
    const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}`)[0] ?? 'ordinary';
    return rounds.map((round) =>
      make(
        {
          input: 'mandatory',
          about,
          special: `${group} under ${environment}`,
          permutation: { group, environment, round },
        },
        environment === 'ordinary' ? {} : { environment: variables },
      ),
    );
  });
}
