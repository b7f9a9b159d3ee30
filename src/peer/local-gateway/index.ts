/** The public face of the local gateway. */
export * from './local-gateway.ts';
export type { Place } from './places.ts';
export { type Certificates, issueCertificates } from './servers.ts';
