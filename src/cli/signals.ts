export interface Stop {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  readonly by: () => NodeJS.Signals | undefined;
  /** Hears no more signals. */
  off(): void;
}

/** The first signal asks to come to an end, the second one ends at once with 130, after `cleanUp` if that is quick. */
export function stopOnSignals(cleanUp: () => Promise<void>): Stop {
  const controller = new AbortController();
  let by: NodeJS.Signals | undefined;
  const hear = (name: NodeJS.Signals) => {
    if (by) {
      const exit = () => process.exit(130);
      setTimeout(exit, 100);
      cleanUp().then(exit, exit);
    }
    by ??= name;
    controller.abort();
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return {
    signal: controller.signal,
    by: () => by,
    off: () => {
      process.off('SIGINT', hear);
      process.off('SIGTERM', hear);
    },
  };
}
