export type { Check, StoreFactory, StoreOptions } from './store-suite/check.ts';
export { runStoreSuite, storeSuite, type Runner } from './store-suite/store-suite.ts';
export { brokenStores } from './broken-stores.ts';
export type { BrokenStore } from './broken-stores/meddled.ts';
export { runSourceSuite, sourceSuite } from './source-suite/source-suite.ts';
export type { SourceBench, SourceCheck, SourcePlace, SourceSupport } from './source-suite/check.ts';
export { runSinkSuite, sinkSuite } from './sink-suite/sink-suite.ts';
export type { Arrival, SinkBench, SinkCheck, SinkPlace, SinkSupport } from './sink-suite/check.ts';
export { committingSuite, runCommittingSuite } from './committing-suite/committing-suite.ts';
export type {
  CommittingBench,
  CommittingCheck,
  CommittingPlace,
  CommittingSupport,
  Connection,
} from './committing-suite/check.ts';
export { checkpointSuite, runCheckpointSuite } from './checkpoint-suite/checkpoint-suite.ts';
export type {
  CheckpointBench,
  CheckpointCheck,
  CheckpointPlace,
  CheckpointSupport,
} from './checkpoint-suite/check.ts';
export { brokenSources } from './broken-sources.ts';
export { brokenSinks } from './broken-sinks.ts';
export { brokenCommittingSinks } from './broken-committing-sinks.ts';
export { brokenCheckpoints } from './broken-checkpoints.ts';
export { Topic, TopicSource, type TopicSourceOptions } from './topic.ts';
export { readableStore } from './readable-store.ts';
export { ManualClock } from './manual-clock.ts';
export { CommittingTable } from './committing-table.ts';
export { seeded, type Chance } from '../core/chance.ts';
export { faultNames, planBy, type Budget, type Fault, type Plan } from './simulate/plan.ts';
export { run, type Outcome } from './simulate/run.ts';
export { firstFailure, runSeed, shrink, type Failure } from './simulate/search.ts';
export { Violation, type Broken } from './simulate/violation.ts';
