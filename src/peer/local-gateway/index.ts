/** The public face of the local gateway. */
export * from './local-gateway.ts';
export { type Certificates, issueCertificates } from './servers.ts';
