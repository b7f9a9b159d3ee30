/** A mock gateway of its own for one scenario, so that order and workers do not matter. */
import { randomInt } from 'node:crypto';
import { gatewayDefects } from '../../faults/index.ts';
import { variants as allVariants } from '../../faults/variants.ts';
import type { Alteration } from '../../mock/alteration.ts';
import { startMock } from '../../mock/server.ts';
import {
  closeByHand,
  defaultWorld,
  forgetProfile,
  removeLock,
  setNextAnswer,
  stopProfile,
  type World,
  type WorldOptions,
} from '../../mock/world.ts';
import { publishedCredentials } from './published.ts';
import type { Target } from './target.ts';

export interface OpenedTarget {
  readonly target: Target;
  close(): Promise<void>;
}

/** Starts a mock with these defects, variants, further alterations and endpoints (by default its own four) and describes it as a target. */
export async function mockTarget(
  defects: readonly string[],
  variants: readonly string[] = [],
  further: readonly Alteration[] = [],
  endpoints?: WorldOptions['endpoints'],
): Promise<OpenedTarget> {
  const alterations = alterationsOf(defects, variants, further);
  // No serial number comes twice (2.4): the mocks of one run, in whichever process, start at numbers far apart.
  const world = defaultWorld({ serial: randomInt(2 ** 47), endpoints });
  const mock = await startMock({ alterations, world });
  return { target: targetOf(world, new URL(mock.baseUrl).host), close: () => mock.close() };
}

/** The alterations of these defects and variants, each in the order of its list, and the further ones behind them. */
export function alterationsOf(
  defects: readonly string[],
  variants: readonly string[] = [],
  further: readonly Alteration[] = [],
): Alteration[] {
  return [
    ...gatewayDefects.filter(({ id }) => defects.includes(id)),
    ...allVariants.filter(({ id }) => variants.includes(id)),
  ]
    .map(({ alteration }) => alteration)
    .concat(further);
}

/** The mock with this world as a target, wherever it is. */
export function targetOf(world: World, host: string): Target {
  return {
    kind: 'mock',
    scheme: 'http',
    host,
    prefix: '',
    ...publishedCredentials(),
    endpoints: {
      open: '1111',
      closing: '1112',
      'closed-by-hand': '1112',
      locked: '1113',
      unlocked: '1113',
      'several-gates': '1114',
      unknown: '999999999',
      'of-another-consumer': '1115',
    },
    gates: Object.fromEntries([...world.endpoints].map(([id, { gates }]) => [id, gates.length])),
    setNextAnswer: async (endpointId, answer) => setNextAnswer(world, endpointId, answer),
    setProfile: (id, state) => (state === 'stopped' ? stopProfile : forgetProfile)(world, id),
    arrange: async (situation) => {
      if (situation === 'unlocked') removeLock(world, '1113');
      if (situation === 'closed-by-hand') closeByHand(world, '1112');
    },
  };
}
