/** The mock keeps the Pact contracts, and a gateway with a fault breaks exactly the interactions that show it. */
import { expect, test } from '@playwright/test';
import { validate } from '../../../schemas/index.ts';
import { gatewayDefects } from '../../../src/defects/index.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { exitCode } from '../../../src/result/conclude.ts';
import type { ContractRow, Result } from '../../../src/result/result.ts';
import { finishRun } from '../../../src/run/finish-run.ts';
import { gatewayEvidence } from '../../../src/run/gateway-evidence.ts';
import { headerOf } from '../../../src/run/header.ts';
import { performContracts } from '../../../src/run/pact/verify-contracts.ts';
import { completeRunOptions } from '../../../src/run/run-options.ts';

const open = 'a request to close the day';
const totals = 'a request to close the day with totals';
const locked = 'a request to close the day of a locked gate';
const closing = 'a request to close a day that is being closed';
const forgedClose = 'a request to close the day with a wrong signature';
const batch = 'a batch of recurring payments';
const forgedBatch = 'a batch of recurring payments with a wrong signature';

const closeDay = [open, totals, locked, closing, forgedClose];
const finished = [open, totals, locked];

test('the mock keeps every interaction', async () => {
  const contracts = await performContracts({ defects: [] });
  expect(contracts.map(({ interaction }) => interaction).sort()).toEqual([...closeDay, batch, forgedBatch].sort());
  expect(contracts.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(reportOf(contracts)).toMatchObject({ contracts });
});

/** Derived from the contracts: defect, the interactions that it breaks, and what the verifier has to say of the first. */
const broken: readonly (readonly [defect: string, interactions: readonly string[], mismatch: RegExp])[] = [
  ['close-day/gate-id-as-text', finished, /^\$\.response\.gates\[0\]\.gateId: .*\(String\) to be an integer/],
  ['close-day/gate-without-gate-id', finished, /gateId/],
  ['close-day/is-day-closing-as-text', finished, /isDayClosing: .*"?(true|false)"?/],
  ['close-day/sale-count-as-number', finished, /saleApprovedCount/],
  ['close-day/sale-amount-without-cents', finished, /saleAmount: Expected '\d+\.\d' to match/],
  ['close-day/date-in-iso-form', finished, /gateCloseDate/],
  ['close-day/finished-without-gates', finished, /gates/],
  ['close-day/locked-gate-hidden', [locked], /isDayClosing: .*true/],
  ['close-day/content-type-json', closeDay, /'Content-Type': Expected 'application\/json'/],
  ['close-day/serial-missing', closeDay, /theRequestSerialNumber/],
  ['close-day/serial-short', closeDay, /theRequestSerialNumber/],
  ['close-day/closing-gate-other-code', [closing], /errorCode: .*'98'/],
  ['close-day/closing-gate-other-message', [closing], /errorMessage/],
  ['close-day/error-without-message', [closing, forgedClose], /errorMessage/],
  ['close-day/error-code-as-number', [closing, forgedClose], /errorCode/],
  ['close-day/failure-as-400', [forgedClose], /expected 200 but was 400/],
  ['recurring/accepted-says-ok', [batch], /'Content-Length': Expected '2' to be equal to '0'/],
  ['recurring/accepted-with-201', [batch], /expected 200 but was 201/],
  ['recurring/accepted-chunked', [batch], /Content-Length/],
  ['recurring/refused-with-page', [forgedBatch], /'Content-Length'/],
  ['recurring/refused-with-400', [forgedBatch], /expected 403 but was 400/],
  ['recurring/wrong-signature-with-200', [forgedBatch], /expected 403 but was 200/],
  ['authentication/signature-not-checked', [forgedClose, forgedBatch], /./],
  ['authentication/body-left-out', [...closeDay.filter((name) => name !== forgedClose), batch], /./],
];

for (const [defect, interactions, mismatch] of broken) {
  test(`${defect} breaks ${interactions.length} of the interactions, and report.json names them`, async () => {
    expect(gatewayDefects.map(({ id }) => id)).toContain(defect);
    const report = reportOf(await performContracts({ defects: [defect] }));
    const failing = report.contracts?.filter(({ outcome }) => outcome !== 'pass') ?? [];
    expect(failing.map(({ interaction }) => interaction).sort()).toEqual([...interactions].sort());
    for (const row of failing) {
      expect(row).toMatchObject({ outcome: 'fail', blame: 'subject' });
      expect(row.mismatches.join('\n')).toMatch(mismatch);
    }
    expect(report.conclusion).toBe('non-conformant');
    expect(exitCode(report)).toBe(1);
  });
}

/** What report.json of a run with these interactions says, as a reader gets it. */
function reportOf(contracts: readonly ContractRow[]): Result {
  const options = completeRunOptions({ seed: 'contracts' }, 1_800_000_000_000, '/nowhere');
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const result = finishRun({
    header: { ...headerOf(options, 1_800_000_000_000), effects: { predicted: nothing, recorded: nothing } },
    only: [],
    planned: [],
    records: [],
    evidence: gatewayEvidence([]),
    provenBy: new Map(),
    contracts,
  });
  const report: Result = JSON.parse(jsonReport(result));
  expect(validate('report', report)).toEqual([]);
  return report;
}
