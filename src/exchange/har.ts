/** Exchanges as HAR 1.2 and back: `fromHar(toHar(cases))` gives the same cases. */
export { clientRunFromHar, fromHar, gatewayRunFromHar, HarError, type ReadExchange } from './from-har.ts';
export { toHar } from './to-har.ts';
