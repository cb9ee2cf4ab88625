/**
 * The right to work for a while. A claim belongs to a session, never to a position: when the partition gets
 * a newer epoch, or the lease ends, its open claims are cut off and whoever comes next does the work.
 */
export type Session = PartitionSession | LeaseSession;

/** One worker's hold on one partition. Epochs come from the checkpoint store and only grow. */
export interface PartitionSession {
  readonly kind: 'partition';
  /** As `Identity.keySpace`: pipelines, and replays of one, that share a store have nothing to do with each other. */
  readonly keySpace: string;
  readonly partition: string;
  readonly epoch: number;
}

/**
 * One attempt at some deliveries without positions of their own: the token names the attempt, never the worker;
 * positions number the deliveries of the attempt.
 */
export interface LeaseSession {
  readonly kind: 'lease';
  readonly token: string;
  readonly leaseMs: number;
}
