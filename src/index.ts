export { createPipeline, type Pipeline, type Summary } from './core/pipeline.ts';
export type { PipelineOptions } from './core/pipeline-options.ts';
export type { Limits } from './core/limits.ts';
export { usualPolicies, type Policies } from './core/policies.ts';
export type { Booked, Notice } from './core/notice.ts';
export type { Batch, Headers } from './core/event.ts';
export { payloadOf } from './core/event.ts';
export type { Happening, Source } from './core/source.ts';
export {
  isCommitting,
  Manner,
  type CommittingSink,
  type Outgoing,
  type Sink,
  type Written,
} from './core/sink.ts';
export type { CheckpointStore, Commit, Committed, Take, Taken } from './core/checkpoint.ts';
export type { LeaseSession, PartitionSession, Session } from './core/session.ts';
export type {
  Audit,
  Claim,
  Claimed,
  Claims,
  Enter,
  Entered,
  Fenced,
  Sight,
  StoreStats,
  StoreSupport,
  Verdicts,
  WindowStore,
} from './core/store.ts';
export { Verdict } from './core/verdict.ts';
export type { Identity, Keys, TypedId, UnidentifiedReason } from './core/identity.ts';
export type { Totals } from './core/totals.ts';
export { systemClock, type Clock } from './core/clock.ts';
export { formatDuration, parseDuration } from './core/window.ts';
export { errors, HapaxError, type ErrorCode } from './core/errors.ts';
export { cloudEventsIdentity } from './core/identity/cloud-events-identity.ts';
export { customIdentity } from './core/identity/custom-identity.ts';
export { contentIdentity, jsonIdentity, presets } from './core/identity/json-identity.ts';
export { headerIdentity, lineIdentity, messageKeyIdentity } from './core/identity/transport-identity.ts';
export { memoryCheckpoints } from './checkpoints/memory.ts';
export { memoryStore, type MemoryStoreOptions } from './stores/memory.ts';
export { fileSource } from './sources/file/source.ts';
export { iterableSource, type IterableSourceOptions } from './sources/iterable.ts';
export { fileSink } from './sinks/file.ts';
export { handlerSink, Rejected, type HandledEvent, type HandlerSinkOptions } from './sinks/handler.ts';
export { stdoutSink } from './sinks/stdout.ts';
