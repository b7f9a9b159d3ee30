/** The public face of the self-test of adapters. */
export { checkAdapter } from './check-adapter.ts';
export type { CheckedPoint } from './checked-point.ts';
export type { Peer } from './probe.ts';
