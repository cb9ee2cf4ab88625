/** Between the steps that reach the disk: tests end the process at each of them. */
export const crashPoints = [
  'start.outputs-ready',
  'write.staged',
  'commit.before-sync',
  'commit.outputs-synced',
  'commit.record-written',
  'commit.record-synced',
  'take.record-written',
  'take.record-synced',
  'abort.log-cut',
  'abort.outputs-cut',
  'close.record-written',
  'close.record-synced',
  'compaction.written',
  'compaction.renamed',
  'series.record-written',
  'series.record-synced',
  'series.file-created',
  'series.file-removed',
] as const;

export type CrashPoint = (typeof crashPoints)[number];
export type CrashAt = (point: CrashPoint) => void;
