/** The six parameters of the Authorization header, in the order of section 5. */
export const oauthParameters = [
  'oauth_consumer_key',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_nonce',
  'oauth_version',
  'oauth_signature',
] as const;

export type OAuthParameter = (typeof oauthParameters)[number];
