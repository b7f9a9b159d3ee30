/** Exchanges as HAR 1.2 and back: `fromHar(toHar(cases))` gives the same cases. */
export { fromHar, type ReadHar, readHar } from './from-har.ts';
export type { ReadExchange } from './har-entry.ts';
export { HarError } from './har-error.ts';
export { largestHar, largestJudged } from './har-format.ts';
export { type HarPart, textOfPart } from './har-texts.ts';
export { toHar, toHarParts } from './to-har.ts';
