/** Frozen sets of requirements: a report that was scored by one is scored so for ever. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { requirements } from '../../contracts/requirements/index.ts';
import { validate } from '../../schemas/index.ts';
import { expect, test } from '../engine.ts';
import { root, textOf } from './tree.ts';

const folder = 'contracts/sets';

// With NEW_SET=2026-12 today's requirements are frozen under that name. A set that is there is never written again.
const fresh = process.env.NEW_SET;
const file = join(root, folder, `${fresh}.yaml`);
if (fresh !== undefined && !existsSync(file)) writeFileSync(file, today());

for (const name of readdirSync(join(root, folder))) {
  test(`${name} pins requirements and interactions that are there and have the same words`, () => {
    expect(name).toMatch(/^\d{4}-\d{2}\.yaml$/);
    const set = parse(textOf(`${folder}/${name}`));
    expect(validate('requirement-set', set)).toEqual([]);
    const now = parse(today());
    // A requirement that means something else by now has a new id: see CONTRIBUTING.
    expect(now.requirements).toMatchObject(set.requirements);
    for (const [pact, interactions] of Object.entries(set.contracts)) {
      expect(now.contracts[pact]).toEqual(expect.arrayContaining(interactions as string[]));
    }
  });
}

function today(): string {
  const pacts = readdirSync(join(root, 'contracts/pacts')).sort();
  const interactions = (pact: string): string[] =>
    JSON.parse(textOf(`contracts/pacts/${pact}`)).interactions.map(
      ({ description }: { description: string }) => description,
    );
  return stringify(
    {
      requirements: Object.fromEntries(requirements.map(({ id, statement }) => [id, statement])),
      contracts: Object.fromEntries(pacts.map((pact) => [pact, interactions(pact)])),
    },
    { lineWidth: 0 },
  );
}
