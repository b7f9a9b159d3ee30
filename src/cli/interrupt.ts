/** The signals that end a long command: the first one asks it to stop, the second one does not ask. */

const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Takes over SIGINT, SIGTERM and SIGHUP of this process. The returned signal aborts at the first of them; a second one
 * ends the process at once with 128 plus its number, as a shell reports a death by signal.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, number] of Object.entries(signals)) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + number);
      controller.abort();
    });
  }
  return controller.signal;
}
