/** The public face of the local gateway. */
export * from './local-gateway.ts';
export { type LocalGatewayOptions, openInProcessGateway, openLocalGateway } from './open.ts';
export { type Certificates, isCertificate, issueCertificates, unusableCertificate } from './server-certificates.ts';
