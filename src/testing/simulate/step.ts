/** One thing that may happen next. */
export interface Step {
  readonly weight: number;
  readonly go: () => void;
}
