export interface Stop {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The second one has come: what fails now fails because of it. */
  readonly isOver: boolean;
  /** Hears no more signals. */
  off(): void;
}

/** The first signal asks to come to an end, the second one ends at once with 130, after `cleanUp` if that is quick. */
export function stopOnSignals(cleanUp: () => Promise<void>): Stop {
  const controller = new AbortController();
  let isOver = false;
  const hear = () => {
    if (controller.signal.aborted) {
      isOver = true;
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
    get isOver() {
      return isOver;
    },
    off: () => {
      process.off('SIGINT', hear);
      process.off('SIGTERM', hear);
    },
  };
}
