/** What the terminal shows of a certificate: issued, or checked, and then what that proves and what it does not. */
import {
  type Checked,
  conclusionOfPredicate,
  type Facts,
  pactPrefix,
  type Statement,
} from '../../extras/certificate/statement.ts';
import { countedWord } from '../../record/counted-word.ts';
import { shortened, visible } from '../../report/visible.ts';
import { passedInWords, subjectAt } from '../../report/words.ts';

interface IssuedFacts {
  readonly path: string;
  readonly keyid: string;
  readonly verify: string;
}

export function issuedText(statement: Statement, { path, keyid, verify }: IssuedFacts): string {
  return `${[
    `Certificate written to ${visible(path)}; it says ${stated(statement)}`,
    '',
    ...factLines(statement, keyid),
    '',
    `check it with: ${visible(verify)}`,
  ].join('\n')}\n`;
}

interface CheckedFacts extends Checked {
  readonly keyid: string;
  readonly at: number;
  readonly folder?: string;
  readonly compared: number;
  readonly missing: readonly string[];
}

export function checkedText(statement: Statement, checked: CheckedFacts): string {
  const { result, countersign: facts } = statement.predicate;
  const first =
    result === 'FAILED'
      ? 'genuine, and it says FAILED: do not rely on what was tested'
      : `genuine: ${stated(statement)}`;
  return `${[
    first,
    '',
    ...factLines(statement, checked.keyid),
    ...labelled([
      ['checked', `signature, form, expiry at ${new Date(checked.at).toISOString()}, version of the suite`],
      ['evidence', evidenceInWords(facts, checked)],
    ]),
    '',
    ...proofLines(statement.predicate, checked),
  ].join('\n')}\n`;
}

function factLines({ subject, predicate }: Statement, keyid: string): string[] {
  const { countersign: facts, configuration, passedTests, warnedTests, failedTests, hazards = [] } = predicate;
  const { tested } = facts;
  const labels = Object.entries(facts.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const digest = subject[0]!.digest.sha256;
  const pacts = passedTests.filter((name) => name.startsWith(pactPrefix)).length;
  return labelled([
    ...hazards.map(({ sentence }) => ['HAZARD', sentence] as const),
    ['tested', `${subjectAt(tested)}, ${facts.startedAt}, seed ${facts.seed}`],
    ['labels', labels.length === 0 ? undefined : labels.join(', ')],
    ['by', `${configuration[0]!.name}, ${facts.suite.name} ${facts.suite.version}`],
    [
      'tests',
      [
        passedInWords(passedTests.length - pacts, pacts),
        // The remarks of a report are mostly on what the document leaves open: none of them is a warning here.
        ...(warnedTests.length === 0 ? [] : [`${warnedTests.length} more deviated from what is only expected`]),
        `${failedTests.length} failed`,
        `${facts.untested.length} not tested`,
      ].join(', '),
    ],
    ['failed', failedTests.length === 0 ? undefined : listed(failedTests)],
    ['warned', warnedTests.length === 0 ? undefined : listed(warnedTests)],
    ['never arose', facts.exercised && listed(facts.exercised.neverArose)],
    ['not tested', facts.untested.length === 0 ? undefined : listed(facts.untested.map(({ id }) => id))],
    ['challenge', facts.challenge],
    [
      'subject',
      facts.subjectIs === 'artifact'
        ? `the file ${subject[0]!.name}, SHA-256 ${digest}`
        : `the evidence, SHA-256 ${digest}`,
    ],
    ['valid', `from ${facts.issuedAt} to ${facts.expiresAt}`],
    ['key', keyid],
  ]);
}

/** `WARNED (conformant as far as exercised: …)`; the result alone where everything arose. */
function stated({ predicate }: Statement): string {
  const words = conclusionOfPredicate(predicate);
  return words === predicate.countersign.conclusion ? predicate.result : `${predicate.result} (${words})`;
}

/** Ids that are named; the certificate has all of them. */
const mostNamed = 8;

function listed(names: readonly string[]): string {
  const rest = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${rest}`;
}

function evidenceInWords({ evidence, untested }: Facts, { folder, compared, missing }: CheckedFacts): string {
  if (folder === undefined) return 'not here: the outcomes were not judged again (--run names its folder)';
  const gone = missing.length === 0 ? '' : `; not here: ${missing.join(', ')}`;
  return `${evidence.files.length - missing.length} files unchanged in ${folder}; judged again, ${countedWord(compared, 'requirement')}${untested.length === 0 ? '' : `, the ${untested.length} not tested included,`} ${compared === 1 ? 'has' : 'have'} the outcome that it states${gone}`;
}

function proofLines(
  { countersign: { challenge, tested }, passedTests, failedTests }: Statement['predicate'],
  checked: CheckedFacts,
): string[] {
  const hasPacts = [...passedTests, ...failedTests].some((name) => name.startsWith(pactPrefix));
  const proves = [
    'who holds this key signed it, and nothing in it was changed since',
    ...(checked.evidence ? ['the exchanges of the evidence have these outcomes, by the judges of this machine'] : []),
    ...(checked.artifact ? ['the file of --artifact is the one that the certificate names'] : []),
    ...(checked.challenge ? [challengeInWords(checked.evidence)] : []),
  ];
  const open = [
    ...(checked.evidence ? [] : ['that the outcomes are those of the exchanges: the evidence was not at hand']),
    `that the exchanges came from ${tested.target === 'mock' ? subjectAt(tested) : `${tested.name} at ${tested.target}`}: the signer says so`,
    ...(hasPacts && checked.evidence ? ['interactions of the Pact files: they are as the run reported them'] : []),
    ...(checked.challenge ? [] : [preparedInWords(challenge)]),
    'that a later version, or another installation, behaves the same',
  ];
  return ['this proves', ...proves.map(bullet), 'this does not prove', ...open.map(bullet)];
}

function challengeInWords(hasEvidence: boolean): string {
  return hasEvidence
    ? 'the requests of the run were drawn from your challenge: they were made after you gave it'
    : 'the certificate names your challenge';
}

function preparedInWords(challenge: string | undefined): string {
  return challenge === undefined
    ? 'that nothing was prepared: the signer chose the seed'
    : 'that nothing was prepared, unless you chose the challenge: --challenge compares it';
}

function bullet(text: string): string {
  return `  - ${visible(shortened(text, 400))}`;
}

function labelled(pairs: readonly (readonly [label: string, text: string | undefined])[]): string[] {
  return pairs.flatMap(([label, text]) =>
    text === undefined ? [] : [`${label.padEnd(12)}${visible(shortened(text, 1000))}`],
  );
}
