/** `countersign explain`: everything known about one id. */

import { type HazardRow, hazardById, hazards } from '../../../contracts/hazards.ts';
import { assumedBy, type OpenPoint, openPoints } from '../../../contracts/open-points.ts';
import { type Profile, profiles } from '../../../contracts/profiles.ts';
import { requirementById, requirements } from '../../../contracts/requirements/index.ts';
import type { Basis, Requirement } from '../../../contracts/requirements/requirement.ts';
import type { Deviation } from '../../autopsy/index.ts';
import { assumptions } from '../../mock/assumptions.ts';
import { field } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { didYouMean, named, refuseIf, UsageError } from '../../run/options/usage-error.ts';
import { defineCommand, type Given, type Surroundings } from '../command.ts';
import type { ListedDefect } from '../config/defects.ts';

/** What is known: for people as label and text, for programs as the entry itself. */
interface Explanation {
  readonly facts: readonly (readonly [label: string, text: string | undefined])[];
  readonly data: object;
}

export const command = defineCommand({
  name: 'explain',
  description: 'Describes a requirement, open point, hazard, defect, variant, profile or deviation.',
  operands: [{ takes: '<id>', help: 'for example authentication/version, A3 or rfc5849' }],
  examples: ['countersign explain authentication/version', 'countersign explain A3'],
  exits: '0 done, 2 wrong use, or nothing has the id, 3 a fault of the suite or the environment.',
  run: async (id: string, { json }: Given<'explain'>, { out, width = 100 }: Surroundings) => {
    const { facts, data } = await explanationOf(id);
    out(json ? printedJson(data, 2) : asText(facts, width));
    return 0;
  },
});

async function explanationOf(id: string): Promise<Explanation> {
  const { variants } = await import('../../faults/variants.ts');
  const { listedDefects } = await import('../config/defects.ts');
  const { deviations } = await import('../../autopsy/index.ts');
  const defects = listedDefects();
  const withId = <T extends { readonly id: string }>(list: readonly T[]) => list.find((one) => one.id === id);
  const about = <T>(found: T | undefined, explain: (found: T) => Explanation) => found && explain(found);
  const explanation =
    about(requirementById(id), (row) => aboutRequirement(row, defects)) ??
    about(hazardById(id), aboutHazard) ??
    about(withId(openPoints) ?? openPoints.find((one) => one.id.toLowerCase() === id.toLowerCase()), (point) =>
      aboutOpenPoint(point, variants),
    ) ??
    about(withId(defects), aboutDefect) ??
    about(withId<Variant>(variants), aboutVariant) ??
    about(
      profiles.find(({ name }) => name === id),
      aboutProfile,
    ) ??
    about(withId(deviations), aboutDeviation);
  if (explanation !== undefined) return explanation;
  refuseIf(id.includes('*'))`explain takes one id, and ${id} is a pattern
    countersign list shows all ids.`;
  const known = [deviations, requirements, hazards, openPoints, defects, variants].flatMap((list) =>
    list.map((entry) => entry.id as string),
  );
  throw new UsageError(
    `nothing has the id ${named(id)}`,
    didYouMean(id, [...known, ...profiles.map((entry) => entry.name)]) ?? 'countersign list shows all ids.',
  );
}

function aboutRequirement(row: Requirement, defects: readonly ListedDefect[]): Explanation {
  const breaking = defects.filter((defect) => defect.breaks.includes(row.id));
  const idsOf = (reach: ListedDefect['reach']) => breaking.filter((one) => one.reach === reach).map(({ id }) => id);
  const provenBy = idsOf('run');
  // Faults that no subject can be given: the row judges a record of them, and a run is never shown to find them.
  const judgedInRecords = idsOf('stored');
  return {
    facts: [
      ['requirement', row.id],
      ['statement', row.statement],
      ['section', row.section],
      ['kind', `${row.kind}: ${kinds[row.kind]}`],
      ['side', `the ${row.side} has to keep it`],
      ['operation', row.operation === 'both' ? 'close-day and process-recurring-payments' : row.operation],
      ['dimension', row.dimension],
      ['basis', basisInWords(row.basis ?? 'document')],
      ['testable', row.untestable === undefined ? 'yes' : `no: ${row.untestable}`],
      ['condition', row.condition],
      ['arises', row.arises],
      ['hint', row.hint],
      ['covers', row.covers.join(', ')],
      ['on the mock', row.side === 'gateway' ? `rests on ${assumedBy(row).join(', ')}` : undefined],
      ['proven by', provenBy.length > 0 ? provenBy.join(', ') : proofMissing(row, judgedInRecords)],
      ['in records', judgedInRecords.join(', ') || undefined],
    ],
    data: { is: 'requirement', ...row, provenBy, judgedInRecords },
  };
}

function aboutHazard(hazard: HazardRow): Explanation {
  const failing = profiles.filter(({ hazardFails }) => hazardFails).map(({ name }) => `--profile ${name}`);
  return {
    facts: [
      ['hazard', hazard.id],
      ['statement', hazard.statement],
      ['side', hazard.side],
      ['operation', hazard.operation === 'both' ? 'close-day and process-recurring-payments' : hazard.operation],
      ['hint', hazard.hint],
      ['weight', `no verdict changes; ${[...failing, '--fail-on hazard'].join(' and ')} make the exit code 1`],
    ],
    data: { is: 'hazard', ...hazard },
  };
}

const kinds: Record<Requirement['kind'], string> = {
  required: 'must hold; where it does not, the run fails',
  expected:
    'shown in the interface document as an example or as values seen, or a bound set there for the other side; a ' +
    'deviation is a remark, and a failure under the profile strict',
  probe: 'the document is silent; the answer is recorded and not judged unless a profile answers it',
};

function basisInWords(basis: Basis): string {
  return basis === 'document'
    ? 'document: the interface document says it'
    : `${basis}: the interface document leaves open how this is done, and the profile decides`;
}

/** Why no defect is known to be caught by the row; silence here would look like an oversight. */
function proofMissing(row: Requirement, judgedInRecords: readonly string[]): string {
  if (row.untestable !== undefined) return 'nothing: it cannot be tested';
  if (judgedInRecords.length > 0) return 'nothing that a run can be given: stored records alone show a failure';
  return 'nothing yet: no defect breaks it';
}

function aboutOpenPoint(point: OpenPoint, variants: readonly { id: string; openPoint?: string }[]): Explanation {
  const ofPoint = variants.filter((variant) => variant.openPoint === point.id);
  const answers = (profiles as readonly Profile[]).flatMap((profile) =>
    profile.answers
      .filter((answer) => answer.openPoint === point.id)
      .map((answer) => `${profile.name}: ${answer.answer}`),
  );
  const mine = assumptions.filter(({ openPoint }) => openPoint === point.id).map(({ assumption }) => assumption);
  return {
    facts: [
      ['open point', point.id],
      ['question', point.question],
      ['sections', point.sections.join(', ')],
      ['observed', point.observation],
      ['probe', `${point.probe}: ${probes[point.probe]}`],
      ['answered by', answers.length > 0 ? answers.join(' ') : 'no profile'],
      ['covers', point.covers.join(', ')],
      ['mock', mine.join(' ') || undefined],
      ['variants', ofPoint.map((variant) => variant.id).join(', ') || undefined],
    ],
    data: { is: 'open-point', ...point, answers, mock: mine, variants: ofPoint.map((variant) => variant.id) },
  };
}

const probes: Record<OpenPoint['probe'], string> = {
  traffic: 'seen in ordinary exchanges',
  twins: 'needs requests of its own, each with its accepted neighbour',
  effect: 'only where the configuration allows effects',
  none: 'cannot be seen in traffic',
};

function aboutDefect(defect: ListedDefect): Explanation {
  const { id, summary, side, operation, breaks, reach } = defect;
  const attempt =
    reach === 'run'
      ? `countersign ${side === 'gateway' ? 'mock' : 'client'} --defect ${id}`
      : 'it cannot be: only a stored record shows it. npm run prove judges that record, and it proves no requirement';
  return {
    facts: [
      ['defect', id],
      ['summary', summary],
      ['side', side],
      ['operation', operation],
      ['breaks', breaks.join(', ')],
      ['try it', attempt],
    ],
    data: { is: 'defect', ...defect },
  };
}

type Variant = Readonly<Record<'id' | 'summary', string>> & { readonly openPoint?: string };

function aboutVariant({ id, summary, openPoint }: Variant): Explanation {
  return {
    facts: [
      ['variant', id],
      ['summary', summary],
      ['open point', openPoint],
      ['try it', `countersign mock --variant ${id}`],
    ],
    data: { is: 'variant', id, summary, openPoint },
  };
}

function aboutProfile(profile: Profile): Explanation {
  return {
    facts: [
      ['profile', profile.name],
      ['summary', profile.summary],
      ['includes', profile.includes.join(', ') || undefined],
      [
        'expected',
        `a deviation from an expected requirement is ${profile.expectedIsJudged ? 'a failure' : 'a remark'}`,
      ],
      ...profile.answers.map((answer) => [`answers ${answer.openPoint}`, answer.answer] as const),
    ],
    data: { is: 'profile', ...profile },
  };
}

function aboutDeviation({ id, stage, summary, developer, fix }: Deviation): Explanation {
  return {
    facts: [
      ['deviation', id],
      ['summary', summary],
      ['developer', developer],
      ['fix', fix],
      ['stage', stage],
      ['find it', 'countersign autopsy FILE'],
    ],
    data: { is: 'deviation', id, stage, summary, developer, fix },
  };
}

function asText(facts: Explanation['facts'], width: number): string {
  const layout = { indent: 0, labelWidth: 13, width: Math.min(width, 120) };
  const lines = facts.flatMap(([label, text]) => (text === undefined ? [] : field(label, visible(text), layout)));
  return `${lines.join('\n')}\n`;
}
