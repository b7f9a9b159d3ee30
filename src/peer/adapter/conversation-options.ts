/** What a conversation with an adapter needs to know before it begins. */

import type { AdapterLimits } from './limits.ts';
import type { Greeting, Message } from './messages.ts';
import type { Notes } from './notes.ts';
import type { Patience } from './patience.ts';

export interface ConversationOptions {
  readonly greeting: Greeting;
  readonly limits: AdapterLimits;
  readonly notes: Notes;
  /** Program and arguments, from which the language is guessed for hints. */
  readonly command: readonly string[];
  /** Milliseconds that every case may take instead of its own deadline: where a person holds the adapter in a debugger. */
  readonly heldMs?: number;
  /** Sees every message that the adapter sends, before it is acted upon. */
  readonly watch?: (message: Message) => void;
  readonly patience: Patience;
  /** Ends the greeting when it is aborted. */
  readonly signal: AbortSignal;
}
