/** The provider states that the Pact files name, and what each asks of the one who signs. Where a gate is in which state, the endpoint id of the path says. */
import type { Target } from '../../run/target/target.ts';

/** A body of 2.4 that the target can be told to answer with. */
export type ScriptedAnswer = Parameters<NonNullable<Target['setNextAnswer']>>[1];

interface StateNeeds {
  /** `none`: the request goes without a signature. */
  readonly keys: 'right' | 'wrong' | 'none';
  /** Why a gateway refuses the request; a request with a wrong id may be taken all the same, since the bound binds clients. */
  readonly refused?: 'authentication' | 'batch' | 'id';
  /** The body of 2.4 that the next right batch is answered with. */
  readonly answer?: ScriptedAnswer;
}

const right: StateNeeds = { keys: 'right' };

function answered(type: ScriptedAnswer['type'], code?: ScriptedAnswer['code']): StateNeeds {
  return { keys: 'right', answer: { kind: 'parameters', type, httpStatus: 200, code } };
}

export const providerStates = {
  'gate open': right,
  // What a gateway does with other totals than its own is open (A28).
  'gate open with these totals': right,
  'gate closing': right,
  'gate stays locked': right,
  'several gates': right,
  'profile exists': right,
  'bad signature': { keys: 'wrong', refused: 'authentication' },
  'no signature': { keys: 'none', refused: 'authentication' },
  'id too short': { keys: 'right', refused: 'id' },
  'no id': { keys: 'right', refused: 'id' },
  'batch without a column': { keys: 'right', refused: 'batch' },
  'payload not base64': { keys: 'right', refused: 'batch' },
  'answers with a response': answered('process-recurring-payment-response'),
  'answers with validation-error 200': answered('validation-error', '200'),
  'answers with validation-error 403': answered('validation-error', '403'),
  'answers with validation-error 500': answered('validation-error', '500'),
  'answers with error 200': answered('error', '200'),
  'answers with error 403': answered('error', '403'),
  'answers with error 500': answered('error', '500'),
} as const satisfies Readonly<Record<string, StateNeeds>>;

export type ProviderState = keyof typeof providerStates;

/** Whether that is a state that can be set; a file with any other cannot be verified. */
export function isProviderState(name: unknown): name is ProviderState {
  return typeof name === 'string' && Object.hasOwn(providerStates, name);
}

export function needsOf(state: ProviderState): StateNeeds {
  return providerStates[state];
}
