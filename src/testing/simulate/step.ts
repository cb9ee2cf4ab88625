/** One thing that may happen next. */
export interface Step {
  readonly weight: number;
  readonly go: () => void;
  /** Who takes part in it and what it is; absent = everybody. */
  readonly event?: { readonly parties: readonly string[]; readonly what: string };
}
