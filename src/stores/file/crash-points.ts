/** Between the steps that reach the disk: tests end the process at each of them. */
export const crashPoints = [
  'open.manifest-written',
  'open.tail-cut',
  'open.empty-dropped',
  'segment.created',
  'segment.before-drop',
  'segment.dropped',
  'log.before-write',
  'log.written',
  'log.synced',
] as const;

export type CrashPoint = (typeof crashPoints)[number];
export type CrashAt = (point: CrashPoint) => void;
