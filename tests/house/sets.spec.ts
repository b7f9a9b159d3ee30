/** Frozen sets of requirements must not change, so that old scores stay valid. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { requirements } from '../../contracts/requirements/index.ts';
import { validate } from '../../schemas/index.ts';
import { expect, test } from '../engine.ts';
import { root, textOf } from './tree.ts';

const folder = 'contracts/sets';

// NEW_SET=2026-12 freezes the present requirements under that name. An existing set is never overwritten.
const newName = process.env.NEW_SET;
const file = join(root, folder, `${newName}.yaml`);
if (newName !== undefined && !existsSync(file)) writeFileSync(file, currentSet());

for (const name of readdirSync(join(root, folder))) {
  test(`${name} has only requirements and interactions that still exist with the same text`, () => {
    expect(name).toMatch(/^\d{4}-\d{2}\.yaml$/);
    const set = parse(textOf(`${folder}/${name}`));
    expect(validate('requirement-set', set)).toEqual([]);
    const current = parse(currentSet());
    // A requirement with another meaning needs a new id: see CONTRIBUTING.
    expect(current.requirements).toMatchObject(set.requirements);
    for (const [pact, interactions] of Object.entries(set.contracts))
      expect(current.contracts[pact]).toEqual(expect.arrayContaining(interactions as string[]));
  });
}

function currentSet(): string {
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
