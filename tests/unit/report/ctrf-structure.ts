/** The structure of a CTRF document as its schema has it: which members each part needs, which it may have, and no other. */

type Kind = 'string' | 'integer' | 'boolean' | 'object' | 'strings';
interface Part {
  readonly needs: Readonly<Record<string, Kind>>;
  readonly may: Readonly<Record<string, Kind>>;
}

const document: Part = {
  needs: { results: 'object', reportFormat: 'string', specVersion: 'string' },
  may: { reportId: 'string', timestamp: 'string', generatedBy: 'string', extra: 'object' },
};
const tool: Part = { needs: { name: 'string' }, may: { version: 'string', extra: 'object' } };
const summary: Part = {
  needs: {
    tests: 'integer',
    passed: 'integer',
    failed: 'integer',
    skipped: 'integer',
    pending: 'integer',
    other: 'integer',
    start: 'integer',
    stop: 'integer',
  },
  may: { flaky: 'integer', suites: 'integer', duration: 'integer', extra: 'object' },
};
const testPart: Part = {
  needs: { name: 'string', status: 'string', duration: 'integer' },
  may: {
    suite: 'strings',
    message: 'string',
    trace: 'string',
    rawStatus: 'string',
    tags: 'strings',
    type: 'string',
    extra: 'object',
  },
};
const environment: Part = {
  needs: {},
  may: {
    reportName: 'string',
    appName: 'string',
    appVersion: 'string',
    testEnvironment: 'string',
    healthy: 'boolean',
    extra: 'object',
  },
};
const results: Part = { needs: { tool: 'object', summary: 'object' }, may: { environment: 'object', extra: 'object' } };

type Members = Record<string, unknown>;

/** What is wrong with a parsed document; empty where nothing is. */
export function ctrfFaults(value: Members): string[] {
  const { tests, ...found } = (value.results ?? {}) as Members;
  const list = Array.isArray(tests) ? (tests as Members[]) : [];
  const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'];
  const counts = (found.summary ?? {}) as Record<string, number>;
  return [
    ...faults(value, 'document', document),
    ...(value.reportFormat === 'CTRF' ? [] : ['reportFormat is not CTRF']),
    ...(/^\d+\.\d+\.\d+$/.test(String(value.specVersion)) ? [] : ['specVersion is no version']),
    ...faults(found, 'results', results),
    ...faults(found.tool, 'tool', tool),
    ...faults(found.summary, 'summary', summary),
    ...faults(found.environment, 'environment', environment),
    ...(Array.isArray(tests) ? [] : ['tests is no list']),
    ...list.flatMap((entry, index) => faults(entry, `tests[${index}]`, testPart)),
    ...list.filter(({ status }) => !statuses.includes(String(status))).map(({ name }) => `${name}: unknown status`),
    ...list.filter(({ suite }) => (suite as string[]).length === 0).map(({ name }) => `${name}: empty suite`),
    ...statuses
      .filter((status) => counts[status] !== list.filter((entry) => entry.status === status).length)
      .map((status) => `the count of ${status} is wrong`),
    ...(counts.tests === list.length ? [] : ['the count of tests is wrong']),
  ];
}

function faults(value: unknown, at: string, { needs, may }: Part): string[] {
  if (kindOf(value) !== 'object') return [`${at} is no object`];
  const members = value as Members;
  const known: Readonly<Record<string, Kind>> = { ...needs, ...may };
  const inner = at === 'results' ? ['tests'] : [];
  return [
    ...Object.keys(needs)
      .filter((name) => members[name] === undefined)
      .map((name) => `${at}.${name} is missing`),
    ...Object.keys(members)
      .filter((name) => !(name in known) && !inner.includes(name))
      .map((name) => `${at}.${name} is unknown`),
    ...Object.entries(members)
      .filter(([name, member]) => name in known && kindOf(member) !== known[name])
      .map(([name]) => `${at}.${name} is no ${known[name]}`),
  ];
}

function kindOf(value: unknown): Kind | 'other' {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? 'strings' : 'other';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'other';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as Kind;
  return typeof value === 'object' && value !== null ? 'object' : 'other';
}
