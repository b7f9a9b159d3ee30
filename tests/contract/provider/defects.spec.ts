/** The mock and its variants keep the Pact contracts. A defect breaks exactly the interactions that show it. */
import { validate } from '../../../schemas/index.ts';
import { performContracts, verifyContracts } from '../../../src/extras/pact/verify-contracts.ts';
import { alterationOf } from '../../../src/faults/defect.ts';
import { gatewayDefects, variants } from '../../../src/faults/index.ts';
import type { Alteration } from '../../../src/mock/gateway.ts';
import { withHeader } from '../../../src/mock/responses.ts';
import { exitCode } from '../../../src/record/result/conclude.ts';
import type { ContractRow, Result } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { completeRunOptions, headerOf } from '../../../src/run/options/run-options.ts';
import { mockTarget } from '../../../src/run/target/target.ts';
import { finishRun } from '../../../src/verdict/finish-run.ts';
import { gatewayEvidence } from '../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../engine.ts';

const open = 'a request to close the day';
const totals = 'a request to close the day with totals';
const locked = 'a request to close the day of a locked gate';
const closing = 'a request to close a day that is being closed';
const forgedClose = 'a request to close the day with a wrong signature';
const batch = 'a batch of recurring payments';
const forgedBatch = 'a batch of recurring payments with a wrong signature';

const severalGates = 'a request to close the day of several gates';
const unsignedClose = 'a request to close the day without a signature';
const shortId = 'a request to close the day with an id of seven characters';
const noId = 'a request to close the day without an id';
const unsignedBatch = 'a batch of recurring payments without a signature';
const noColumn = 'a batch of recurring payments without recurring-payment-id';
const noBase64 = 'a batch of recurring payments that is not base64';

const finished = [open, totals, locked, severalGates];
/** The interactions of a failed authentication. */
const denied = [forgedClose, unsignedClose];
const errors = [...denied, shortId, noId];
const closeDay = [...finished, closing, ...errors];
const refusedBatches = [forgedBatch, unsignedBatch, noColumn, noBase64];
/** The interactions with scripted answers of section 2.4. */
const inBody = (what: string) => `a batch of recurring payments that is answered with ${what}`;
const codes = ['200', '403', '500'];
const response = inBody('a response');
const errorBodies = ['validation-error', 'error'].flatMap((type) => codes.map((code) => inBody(`${type} ${code}`)));
const recurring = [batch, ...refusedBatches, response, ...errorBodies];

test('the mock keeps every interaction', async () => {
  const contracts = await performContracts({ defects: [], variants: [] });
  expect(contracts.map(({ interaction }) => interaction).sort()).toEqual([...closeDay, ...recurring].sort());
  expect(contracts.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(reportOf(contracts)).toMatchObject({ contracts });
});

for (const [at, { id, summary }] of variants.entries()) {
  const tag = at === 0 ? [] : ['@all'];
  test(`${id} keeps every interaction: ${summary}`, { tag }, async () => {
    const contracts = await performContracts({ defects: [], variants: [id] });
    expect(contracts.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  });
}

/** A defect, the interactions that it breaks, and a part of the verifier's message on the first one. */
const broken: readonly (readonly [defect: string, interactions: readonly string[], mismatch: RegExp])[] = [
  ['close-day/gate-id-as-text', finished, /^\$\.response\.gates\[\d\]\.gateId: .*\(String\) to be an integer/],
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
  ['close-day/error-without-message', [closing, ...errors], /errorMessage/],
  ['close-day/error-without-code', errors, /errorCode/],
  ['close-day/failure-as-400', errors, /expected 200 but was 400/],
  ['recurring/accepted-says-ok', [batch, response], /'Content-Length': Expected '2' to be equal to '0'|'OK'/],
  ['recurring/accepted-with-201', [batch], /expected 200 but was 201/],
  ['recurring/accepted-chunked', [batch], /Content-Length/],
  ['recurring/refused-with-page', refusedBatches, /'Content-Length'/],
  ['recurring/refused-with-400', refusedBatches, /expected 403 but was 400/],
  ['recurring/wrong-signature-with-200', [forgedBatch], /expected 403 but was 200/],
  ['authentication/signature-not-checked', [forgedClose, forgedBatch], /./],
  ['authentication/body-left-out', [...finished, closing, batch, response, ...errorBodies], /./],
  ['recurring/parameters-as-plain-text', [response, ...errorBodies], /Content-Type/],
  ['recurring/parameters-without-line-feeds', [response, ...errorBodies], /to match '\^type=/],
  ['recurring/parameters-without-status', [response], /to match '\^type=/],
  ['recurring/error-without-message', errorBodies, /to match '\^type=/],
  ['recurring/error-without-code', errorBodies, /to match '\^type=/],
];

for (const [at, [defect, interactions, mismatch]] of broken.entries()) {
  const tag = at % 16 === 0 ? [] : ['@all'];
  test(`${defect} breaks ${interactions.length} of the interactions, and report.json names them`, { tag }, async () => {
    expect(gatewayDefects.map(({ id }) => id)).toContain(defect);
    const report = reportOf(await performContracts({ defects: [defect], variants: [] }));
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

/** A gateway that refuses to close the day of a locked gate (A28). */
const locksRefused: Alteration = {
  refuses: ({ endpointId }, world) =>
    world.endpoints.get(endpointId)?.gates.some(({ state }) => state === 'locked') ? 'the gate is locked' : undefined,
};

for (const value of ['null', '{}', '98', '"099"']) {
  test(`an errorCode ${value} is not 99`, { tag: value === '"099"' ? [] : '@all' }, async () => {
    const text = (body: string) => body.replace('"errorCode":"99"', `"errorCode":${value}`);
    const other = alterationOf({ of: 'close-day', text });
    expect(await brokenBy([other])).toEqual([closing]);
  });
}

for (const value of ['TEXT/HTML ; Charset="utf-8"', 'text/html; format=flowed; charset=Utf-8;a=b']) {
  const other: Alteration = {
    writes: (reply, { operation }) => (operation === 'close-day' ? withHeader(reply, 'Content-Type', value) : reply),
  };
  test(`the content type may be written ${value}`, { tag: '@all' }, async () => {
    expect(await brokenBy([other])).toEqual([]);
  });
}

type Alterations = readonly (string | Alteration)[];

const parameters = [batch, response, ...errorBodies];

/** Alterations in the order in which they apply. Converting an answer to the form of the Pact files must not repair it. */
const brokenInPermittedForm: readonly (readonly [by: Alterations, broken: readonly string[]])[] = [
  [['wrapped-body', 'close-day/serial-short'], closeDay],
  [['wrapped-body', 'close-day/content-type-json'], closeDay],
  [['close-day/gate-without-gate-id', 'wrapped-body'], finished],
  [['wrapped-body', alterationOf({ of: 'close-day', text: (body) => `{"outer":${body}}` })], closeDay],
  [
    ['refusal-401', 'close-day/error-without-message'],
    [closing, shortId, noId],
  ],
  [['refusal-403', 'close-day/content-type-json'], closeDay.filter((name) => !denied.includes(name))],
  [
    ['refusal-without-body', 'authentication/signature-not-checked'],
    [forgedClose, forgedBatch],
  ],
  [['close-day/closing-gate-other-code', 'error-code-as-number'], [closing]],
  [
    [locksRefused, 'close-day/error-without-message'],
    [closing, ...errors, locked],
  ],
  [[locksRefused, 'close-day/serial-short'], closeDay],
  [
    [locksRefused, 'authentication/body-left-out'],
    [...finished, closing, ...parameters],
  ],
  [
    ['accepted-with-parameters', 'recurring/parameters-without-status'],
    [batch, response],
  ],
  [['accepted-with-parameters', 'recurring/parameters-without-line-feeds'], parameters],
  [['accepted-with-parameters', 'recurring/parameters-as-plain-text'], parameters],
  [['accepted-with-parameters', 'recurring/accepted-with-201'], [batch]],
  [
    ['accepted-with-parameters', 'authentication/signature-not-checked'],
    [forgedClose, forgedBatch],
  ],
  [
    ['validation-error-with-200', 'recurring/error-without-message'],
    [...refusedBatches, ...errorBodies],
  ],
  [
    ['validation-error-with-403', 'recurring/error-without-code'],
    [...refusedBatches, ...errorBodies],
  ],
  [
    ['escaped-line-feeds', 'recurring/parameters-as-plain-text'],
    [...refusedBatches, response, ...errorBodies],
  ],
  [['recurring-refusal-401', 'recurring/wrong-signature-with-200'], [forgedBatch]],
];

for (const [at, [alterations, interactions]] of brokenInPermittedForm.entries()) {
  const tag = at % 11 === 0 ? [] : ['@all'];
  const names = alterations.map((alteration) => (typeof alteration === 'string' ? alteration : 'a form of its own'));
  test(`${names.join(', then ')} breaks ${interactions.length} of the interactions`, { tag }, async () => {
    expect(await brokenBy(alterations)).toEqual([...interactions].sort());
  });
}

/** The interactions that a gateway with these alterations breaks, sorted. */
async function brokenBy(alterations: Alterations): Promise<string[]> {
  const found = alterations.map((alteration) => (typeof alteration === 'string' ? findById(alteration) : alteration));
  const rows = await verifyContracts(() => mockTarget([], [], found));
  expect(rows.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'fail')).toEqual([]);
  return rows.flatMap(({ outcome, interaction }) => (outcome === 'fail' ? [interaction] : [])).sort();
}

function findById(id: string): Alteration {
  const found = [...gatewayDefects, ...variants].find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`there is neither a defect nor a variant ${id}`);
  return found.alteration;
}

/** The result of a run with these interactions, as in report.json. */
function reportOf(contracts: readonly ContractRow[]): Result {
  const options = completeRunOptions({ seed: 'contracts' }, 1_800_000_000_000, '/nowhere');
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const result = finishRun({
    header: { ...headerOf(options, 1_800_000_000_000), effects: { predicted: nothing, recorded: nothing } },
    only: [],
    planned: [],
    records: [],
    evidence: gatewayEvidence([]),
    contracts,
  });
  const report: Result = JSON.parse(jsonReport(result));
  expect(validate('report', report)).toEqual([]);
  return report;
}
