/** What a recorder lost or damaged: phrases for the field `incomplete`. The local gateway uses other phrases. */
export const losses = {
  requestBody: 'the bytes of the request body',
  requestEnd: 'the end of the request body',
  requestPart: 'perhaps a part of the request body',
  characters: 'some characters of the request',
  authorization: 'the Authorization header',
  address: 'the address that the client called',
  zone: 'the zone of its times',
  responseBody: 'the bytes of the response body',
} as const;

export function lacks({ incomplete }: { readonly incomplete?: string }, loss: keyof typeof losses): boolean {
  return incomplete?.includes(losses[loss]) ?? false;
}

/** Names the lost parts that the signature covers. Undefined if none of them is lost. */
export function signedLosses({ incomplete = '' }: { readonly incomplete?: string }): string | undefined {
  const { zone: _, responseBody: __, ...signed } = losses;
  const missing = Object.values(signed).filter((phrase) => incomplete.includes(phrase));
  return missing.length === 0 ? undefined : missing.join(' and ');
}
