/** The provider states that the Pact files name, and what each asks of the one who signs. Where a gate is in which state, the endpoint id of the path says. */

export const providerStates = {
  'gate open': 'right',
  // What a gateway does with other totals than its own is open (A28).
  'gate open with these totals': 'right',
  'gate closing': 'right',
  'gate stays locked': 'right',
  'profile exists': 'right',
  'bad signature': 'wrong',
} as const;

export type ProviderState = keyof typeof providerStates;

/** Whether that is a state that can be set; a file with any other cannot be verified. */
export function isProviderState(name: unknown): name is ProviderState {
  return typeof name === 'string' && Object.hasOwn(providerStates, name);
}
