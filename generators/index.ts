/** The generators: for each domain value the valid ones, named edges, and faults that break exactly one rule. */
export * from './amount.ts';
export * from './authorization.ts';
export * from './client-orderid.ts';
export * from './close-day-request.ts';
export * from './consumer.ts';
export * from './counts-and-sums.ts';
export * from './csv-row.ts';
export * from './csv-text.ts';
export * from './day-close-request-id.ts';
export * from './discriminating-inputs.ts';
export * from './gate-result.ts';
export type { Label, Labelled } from './labelled.ts';
export * from './payload.ts';
export * from './recurring-payment-id.ts';
