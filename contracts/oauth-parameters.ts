/** The six parameters of the Authorization header that section 5 names, in its order. Generators, scenarios, judges and mock read them here. */
export const oauthParameters = [
  'oauth_consumer_key',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_nonce',
  'oauth_version',
  'oauth_signature',
] as const;

export type OAuthParameter = (typeof oauthParameters)[number];
