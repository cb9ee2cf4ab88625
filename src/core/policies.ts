/** What happens where a verdict leaves a choice. Every policy is a visible word; the defaults lose nothing. */
export interface Policies {
  /** No usable id. `pass` and `dead-letter` are remembered under position and bytes; `stop` ends the pipeline. */
  readonly unidentified: 'dead-letter' | 'pass' | 'stop';
  /** The same id with another body, where bodies are checked. */
  readonly conflict: 'dead-letter' | 'pass' | 'drop';
  /** A first delivery whose own time is older than the window, where event time is configured. */
  readonly late: 'pass' | 'drop' | 'dead-letter';
  /** The window store does not answer: wait for it, or let events through, marked and counted as `unchecked`. */
  readonly store: 'wait' | 'pass';
  /** A copy meets a live claim for longer than `heldMsMax`: an alarm, or it is taken over (at most one more emission). */
  readonly held: 'wait' | 'take-over';
  readonly heldMsMax: number;
  /** The sink is unavailable: wait for it, or dead-letter after this many ms. */
  readonly sink: 'wait' | { readonly deadLetterAfterMs: number };
  /** Claim and count only: nothing is held or dropped, everything goes on. */
  readonly observe: boolean;
}

export const usualPolicies: Policies = {
  unidentified: 'dead-letter',
  conflict: 'dead-letter',
  late: 'pass',
  store: 'wait',
  held: 'wait',
  heldMsMax: 300_000,
  sink: 'wait',
  observe: false,
};
