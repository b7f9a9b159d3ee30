/** What a target on this machine gets without a configuration: the published test identity, its endpoint and one recurring profile. */
import { type LiveConfig, liveDefaults, nothingAllowed } from './live-config.ts';

/** Nothing that is sent there leaves the machine: it may be as fast as the target is. */
const loopbackRate = 100;

export const publishedProfile: Omit<LiveConfig, 'target'> = {
  ...liveDefaults,
  rate: loopbackRate,
  environment: 'integration',
  endpointId: '1111',
  // No payment is made with the published identity: what a row without an amount charges is stated as that of the others.
  recurring: [{ id: '1234567890', amount: '1.00', savedAmount: '1.00' }],
  allow: nothingAllowed,
  states: {},
};
