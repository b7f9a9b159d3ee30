/** What the wrong signatures of a client come to: the deviations behind them, and what would pass without these. Pure. */
import type { Autopsy } from '../autopsy/index.ts';
import type { Cause, Counterfactual, Explanation, Result, ResultRow } from '../record/result/result.ts';
import type { JudgedRow } from './causes.ts';
import type { Evidence, WrongSignatures } from './evidence.ts';

/** The row that each signature is right; others are on its form, its method and the URI that is signed. */
const verifies = 'authentication/signature-verifies';
const broken = /^authentication\/(?:signature-verifies|signature-base64|uri-[a-z-]+|(?:close-day|recurring)-method)$/;

/** The rows with the explanations of their signatures. `judgeAgain`: the rows of the same run, by other evidence. */
export function findingsOnSignatures(
  rows: readonly ResultRow[],
  evidence: Evidence,
  judgeAgain: (evidence: Evidence) => readonly ResultRow[],
): Required<Pick<Result, 'causes'>> & Pick<Result, 'counterfactuals'> & { readonly rows: readonly ResultRow[] } {
  const failing = rows.filter(({ id, outcome }) => outcome === 'fail' && broken.test(id));
  const numbers = [...new Set(failing.flatMap(({ exchanges }) => exchanges))];
  const signatures = numbers.length === 0 ? undefined : evidence.signatures?.(numbers);
  if (signatures === undefined) return { rows, causes: [] };
  const counterfactuals = counterfactualsOf(signatures, rows, judgeAgain);
  return {
    rows: rows.map((row) => explained(row, signatures)),
    causes: causesOfSignatures(signatures, failing),
    ...(counterfactuals.length === 0 ? {} : { counterfactuals }),
  };
}

/** What would pass if the signatures were right follows from them; a signature with a cause of its own follows from nothing. */
export function following(one: JudgedRow, row: ResultRow, [all]: readonly Counterfactual[] = []): JudgedRow {
  if (row.id === verifies && row.explanations?.some(({ deviations }) => deviations.length > 0)) return { row };
  if (row.id === verifies || all?.wouldPass.includes(row.id) !== true) return { ...one, row };
  return { row, because: { text: 'the signatures are wrong', mayBreak: [verifies], exchanges: row.exchanges } };
}

function explained(row: ResultRow, { found }: WrongSignatures): ResultRow {
  if (row.id !== verifies || row.outcome !== 'fail') return row;
  const own = new Set(row.exchanges);
  const shown = found.explained
    .filter(({ numbers }) => numbers.some((number) => own.has(number)))
    .map((one) => explanationOf(one.shown, one.shownNumber, one.alternatives));
  const first = found.unexplained.find((number) => own.has(number));
  const nothing =
    first === undefined || found.unexplainedShown === undefined
      ? []
      : [explanationOf(found.unexplainedShown, first, [])];
  const explanations = [...shown, ...nothing];
  return explanations.length === 0 ? row : { ...row, explanations };
}

/** The autopsy, with both base strings where the client's is known: side by side they show the fault at once. */
function explanationOf(
  { deviations, dialects, facts, triedCount, baseString, signedBaseString }: Autopsy,
  exchange: number,
  alternatives: readonly (readonly string[])[],
): Explanation {
  return {
    exchange,
    deviations: deviations.map(({ id, summary, fix, snippet }) => ({
      id,
      summary,
      fix,
      snippet,
    })),
    ...(alternatives.length === 0 ? {} : { alternatives }),
    dialects: dialects?.map(({ library }) => library),
    facts: facts.map(({ text }) => text),
    triedCount,
    ...(signedBaseString === undefined ? {} : { baseStrings: { right: baseString, signed: signedBaseString } }),
  };
}

function causesOfSignatures({ found }: WrongSignatures, failing: readonly ResultRow[]): Cause[] {
  const shownBy = new Map(failing.map(({ id, exchanges }) => [id, new Set(exchanges)]));
  const unexplained = found.unexplained.filter((number) => shownBy.get(verifies)?.has(number));
  const count = found.explained.reduce((sum, { numbers }) => sum + numbers.length, 0) + unexplained.length;
  const rowsOf = (numbers: readonly number[]) =>
    [...shownBy].flatMap(([id, exchanges]) => (numbers.some((number) => exchanges.has(number)) ? [id] : []));
  const common = (numbers: readonly number[]) => ({
    outcome: 'fail' as const,
    requirements: rowsOf(numbers),
    exchanges: numbers,
  });
  const unsearched = found.unsearched.filter((number) => shownBy.get(verifies)?.has(number)).length;
  const searched = unexplained.length - unsearched;
  const tried =
    found.explained.length === 0
      ? `, of which ${searched} ${searched === 1 ? 'was' : 'were'} searched`
      : `, ${unsearched} of them tried with what explains others alone`;
  return [
    ...found.explained.map(({ ids, alternatives, numbers }) => ({
      ...common(numbers),
      sentence: `${ids.join(' + ')} ${ids.length === 1 ? 'explains' : 'explain'} ${numbers.length} of ${count} wrong signatures that are judged`,
      deviations: ids,
      ...(alternatives.length === 0 ? {} : { alternatives }),
    })),
    ...(unexplained.length === 0
      ? []
      : [
          {
            ...common(unexplained),
            sentence: `nothing explains ${unexplained.length} of ${count} wrong signatures that are judged${unsearched === 0 ? '' : tried}`,
            deviations: [],
          },
        ]),
  ];
}

function counterfactualsOf(
  signatures: WrongSignatures,
  rows: readonly ResultRow[],
  judgeAgain: (evidence: Evidence) => readonly ResultRow[],
): Counterfactual[] {
  const all = [...new Set(signatures.found.explained.flatMap(({ ids }) => ids))];
  const undone = all.length > 1 ? [all, ...all.map((id) => [id])] : all.length === 1 ? [all] : [];
  return undone.flatMap((deviations): Counterfactual[] => {
    const { evidence, mended, unmended } = signatures.without(deviations);
    const again = new Map(judgeAgain(evidence).map(({ id, outcome }) => [id, outcome]));
    const failing = rows.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    const open = failing.filter((id) => again.get(id) !== 'pass' && again.get(id) !== 'fail');
    return [
      {
        deviations,
        failing: failing.length,
        wouldPass: failing.filter((id) => again.get(id) === 'pass'),
        remain: failing.filter((id) => again.get(id) === 'fail'),
        ...(open.length === 0 ? {} : { wouldBeOpen: open }),
        signedAgain: mended.length,
        ...(unmended === 0 ? {} : { notSignedAgain: unmended }),
      },
    ];
  });
}
