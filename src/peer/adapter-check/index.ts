/** The public face of the self-test of adapters. */
export { checkAdapter } from './check-adapter.ts';
export type { CheckedPoint, Peer } from './probe.ts';
