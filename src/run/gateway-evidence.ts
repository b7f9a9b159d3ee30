/** The evidence of a run against a gateway: cases by their place in report.json and exchanges.har. */
import { observe } from '../checks/observe.ts';
import type { Case } from '../exchange/case.ts';
import type { Evidence } from './evidence.ts';
import { judgeCases } from './judge-cases.ts';
import { numberCases } from './number-cases.ts';
import type { ScenarioRecord } from './run-scenario.ts';

/** Pure. Exchanges are numbered by scenario id and case number, never by arrival. */
export function gatewayEvidence(records: readonly Pick<ScenarioRecord, 'cases'>[]): Evidence {
  const cases = numberCases(records);
  const numbers = new Map<Case, number>(cases.map((examined, index) => [examined, index + 1]));
  const byPlace = new Map(cases.map((examined) => [`${examined.scenario}#${examined.number}`, examined]));
  return {
    judge: (id) =>
      judgeCases(id, cases).map(({ finding, examined }) => ({ finding, exchanges: [numbers.get(examined)!] })),
    observations: () =>
      observe(cases).map(({ openPoint, value, cases: seen }) => ({
        openPoint,
        value,
        exchanges: seen.map((examined) => numbers.get(examined)!),
      })),
    numberOf: (scenario, caseNumber) => {
      const examined = byPlace.get(`${scenario}#${caseNumber}`);
      return examined && numbers.get(examined);
    },
    exchangeCount: cases.length,
  };
}
