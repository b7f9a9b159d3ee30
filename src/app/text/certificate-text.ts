/** Terminal text of an issued or checked certificate, with what it proves and what not. */
import {
  type Checked,
  conclusionOfPredicate,
  type Facts,
  pactPrefix,
  type Statement,
} from '../../extras/certificate/statement.ts';
import { pluralize } from '../../record/pluralize.ts';
import { type Block, fact } from '../../report/document.ts';
import { blocksText } from '../../report/terminal.ts';
import { visible } from '../../report/visible.ts';
import { formatPassed, subjectAt } from '../../report/words.ts';

interface IssuedFacts {
  readonly path: string;
  readonly keyid: string;
  readonly verify: string;
}

export function issuedText(statement: Statement, { path, keyid, verify }: IssuedFacts): string {
  const first = `Certificate written to ${visible(path)}. Its result is ${stated(statement)}.`;
  return `${first}\n\n${printed(factsOf(statement, keyid))}\ncheck it with: ${visible(verify)}\n`;
}

interface CheckedFacts extends Checked {
  readonly keyid: string;
  readonly at: number;
  readonly folder?: string;
  readonly compared: number;
  readonly missing: readonly string[];
}

export function checkedText(statement: Statement, checked: CheckedFacts): string {
  const { result, countersign } = statement.predicate;
  const first =
    result === 'FAILED'
      ? 'genuine, but its result is FAILED: do not rely on the tested subject'
      : `genuine: ${stated(statement)}`;
  const facts = [
    ...factsOf(statement, checked.keyid),
    ...fact('checked', `signature, form, expiry at ${new Date(checked.at).toISOString()}, version of the suite`),
    ...fact('evidence', formatEvidence(countersign, checked)),
  ];
  return `${first}\n\n${printed(facts)}\n${printed(proofBlocks(statement.predicate, checked))}`;
}

/** Shortens foreign names, and keeps each fact on one line. */
function printed(blocks: readonly Block[]): string {
  return blocksText(blocks, { width: Number.POSITIVE_INFINITY, limit: 1_000 });
}

function factsOf({ subject, predicate }: Statement, keyid: string): Block[] {
  const { countersign: facts, configuration, passedTests, warnedTests, failedTests, hazards = [] } = predicate;
  const { tested, untested, exercised } = facts;
  const labels = Object.entries(facts.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const digest = subject[0]!.digest.sha256;
  const pacts = passedTests.filter((name) => name.startsWith(pactPrefix)).length;
  const tests = [
    formatPassed(passedTests.length - pacts, pacts),
    // Most remarks of a report are about open points, which are not warnings here.
    ...(warnedTests.length === 0 ? [] : [`${warnedTests.length} more deviated from what is only expected`]),
    `${failedTests.length} failed`,
    `${untested.length} not tested`,
  ];
  const about = facts.subjectIs === 'artifact' ? `the file ${subject[0]!.name}` : 'the evidence';
  return [
    ...hazards.flatMap(({ sentence }) => fact('HAZARD', sentence)),
    ...fact('tested', `${subjectAt(tested)}, ${facts.startedAt}, seed ${facts.seed}`),
    ...fact('labels', labels.join(', ')),
    ...fact('by', `${configuration[0]!.name}, ${facts.suite.name} ${facts.suite.version}`),
    ...fact('tests', tests.join(', ')),
    ...fact('failed', listed(failedTests)),
    ...fact('warned', listed(warnedTests)),
    ...fact('never arose', exercised && listed(exercised.neverArose)),
    ...fact('not tested', listed(untested.map(({ id }) => id))),
    ...fact('challenge', facts.challenge),
    ...fact('subject', `${about}, SHA-256 ${digest}`),
    ...fact('valid', `from ${facts.issuedAt} to ${facts.expiresAt}`),
    ...fact('key', keyid),
  ];
}

/** Such as `WARNED (conformant as far as exercised: …)`, or the result alone if everything arose. */
function stated({ predicate }: Statement): string {
  const words = conclusionOfPredicate(predicate);
  return words === predicate.countersign.conclusion ? predicate.result : `${predicate.result} (${words})`;
}

const maxNamed = 8;

function listed(names: readonly string[]): string {
  const rest = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : '';
  return `${names.slice(0, maxNamed).join(', ')}${rest}`;
}

function formatEvidence({ evidence, untested }: Facts, { folder, compared, missing }: CheckedFacts): string {
  if (folder === undefined) return 'missing, so nothing was judged again (name its folder with --run)';
  const gone = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`;
  const open = untested.length === 0 ? '' : ` (${untested.length} not tested)`;
  return `${evidence.files.length - missing.length} files unchanged in ${folder}; ${pluralize(compared, 'requirement')}${open} judged again with the same outcome${gone}`;
}

function proofBlocks(
  { countersign: { challenge, tested }, passedTests, failedTests }: Statement['predicate'],
  checked: CheckedFacts,
): Block[] {
  const hasPacts = [...passedTests, ...failedTests].some((name) => name.startsWith(pactPrefix));
  const proves = [
    'the holder of this key signed it, and it was not changed',
    ...(checked.evidence ? ['the exchanges of the evidence have these outcomes, judged on this machine'] : []),
    ...(checked.artifact ? ['the file of --artifact is the tested file of the certificate'] : []),
    ...(checked.challenge ? [formatChallenge(checked.evidence)] : []),
  ];
  const open = [
    ...(checked.evidence ? [] : ['that the outcomes follow from the exchanges: the evidence is missing']),
    `that the exchanges came from ${tested.target === 'mock' ? subjectAt(tested) : `${tested.name} at ${tested.target}`}: the signer says so`,
    ...(hasPacts && checked.evidence ? ['the Pact interactions: their outcomes are copied from the run'] : []),
    ...(checked.challenge ? [] : [formatPrepared(challenge)]),
    'that a later version, or another installation, behaves the same',
  ];
  return [
    { label: 'proves', list: proves },
    { label: 'does not prove', list: open },
  ];
}

function formatChallenge(hasEvidence: boolean): string {
  return hasEvidence
    ? 'your challenge is the seed of the requests, so the run came after it'
    : 'the certificate names your challenge';
}

function formatPrepared(challenge: string | undefined): string {
  return challenge === undefined
    ? 'that the exchanges were not prepared in advance: the signer chose the seed'
    : 'that the exchanges were not prepared in advance, unless you chose the challenge: compare it with --challenge';
}
