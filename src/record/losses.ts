/** The parts of an exchange that a recorder can lose or damage. */

/** Phrases in the member `incomplete` of an entry or a call. The local gateway adds other phrases to calls. */
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

/** The lost parts that a signature covers, as a phrase; undefined if no signed part is lost. */
export function lossOfSigned({ incomplete = '' }: { readonly incomplete?: string }): string | undefined {
  const { zone: _, responseBody: __, ...signed } = losses;
  const lost = Object.values(signed).filter((words) => incomplete.includes(words));
  return lost.length === 0 ? undefined : lost.join(' and ');
}
