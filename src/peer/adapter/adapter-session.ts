/** Opens a session with an adapter that stays: one process, many cases. */
import type { ClientSession } from './client-session.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { adapterEnvironment } from './environment.ts';
import { type AdapterLimits, defaultLimits } from './limits.ts';
import type { Message, TrustedAuthority } from './messages.ts';
import { Notes } from './notes.ts';
import { Patience } from './patience.ts';
import { startProcess } from './process-channel.ts';
import { openSession } from './session.ts';
import { markVariable, withoutStrays } from './strayed-processes.ts';

export interface AdapterOptions {
  /** A program, found in PATH; never a line for a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Default: the current folder. */
  readonly cwd?: string;
  /** Variables besides those that programs need; proxies are always off. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<AdapterLimits>;
  readonly seed: string;
  /** Absent without HTTPS. */
  readonly ca?: TrustedAuthority;
  readonly suite: { readonly name: string; readonly version: string };
  /** Shared by all sessions with the same client; default: one of this session alone, that says nothing. */
  readonly patience?: Patience;
  /** Sees every message that the adapter sends, before it is acted upon. */
  readonly watch?: (message: Message) => void;
}

/**
 * Starts the adapter, greets it, and waits for its introduction.
 * Rejects with an AdapterError, and then no process is left.
 */
export function openAdapterSession(options: AdapterOptions): Promise<ClientSession> {
  return withoutStrays((mark) =>
    openSession((listener) => startProcess(commandOf(options, mark), listener), conversationOptions(options)),
  );
}

/** What is started: the command and its whole environment, with the mark by which its processes are found. */
export function commandOf(
  { command, args, cwd, env, ca }: AdapterOptions,
  mark: string,
): Parameters<typeof startProcess>[0] {
  return { command, args, cwd, env: { ...adapterEnvironment(process.env, env, ca), [markVariable]: mark } };
}

export function conversationOptions(options: AdapterOptions): Omit<ConversationOptions, 'signal'> {
  const { command, args = [], suite, seed, ca, watch } = options;
  const limits = { ...defaultLimits, ...options.limits };
  return {
    greeting: { suite, seed, ca },
    limits,
    notes: new Notes(),
    command: [command, ...args],
    patience: options.patience ?? new Patience(limits),
    watch,
  };
}
