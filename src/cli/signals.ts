export interface Stop {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Hears no more signals. */
  off(): void;
}

/** The first signal asks to come to an end, the second one ends at once with 130, after `cleanUp` if that is quick. */
export function stopOnSignals(cleanUp: () => Promise<void>): Stop {
  const controller = new AbortController();
  const hear = () => {
    if (controller.signal.aborted) {
      const exit = () => process.exit(130);
      setTimeout(exit, 100);
      cleanUp().then(exit, exit);
    }
    controller.abort();
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return {
    signal: controller.signal,
    off: () => {
      process.off('SIGINT', hear);
      process.off('SIGTERM', hear);
    },
  };
}
