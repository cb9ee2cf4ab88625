import type { Summary } from '../core/pipeline.ts';

/**
 * What an operator can ask of a pipeline, and do to it, whether a worker runs it or not. The shapes are those of the
 * HTTP API and of `--json`: times are RFC 3339, `…_ms` and `…_bytes` are numbers, `null` = there is none or nobody knows.
 * No answer has a payload.
 */
export interface Operations {
  status(page: Page): Promise<Status>;
  explain(question: Question): Promise<Explained>;
  /** The window forgets the event: a later copy is a first one again. Nothing is done to a claim that is at work. */
  forget(question: Question): Promise<Forgotten>;
  /** Moves checkpoints (see `moveCheckpoints`). If the signal is aborted before they are moved, they stay. */
  rewind(request: RewindRequest, signal?: AbortSignal): Promise<Rewound>;
  /** What the window knows under keys, for whoever can make them (32 hex digits each, at most 1,000 of them). */
  look(request: LookRequest): Promise<Looked>;
  /** Sends dead letters down the river once more. HPX-P004 while it is done for somebody else. */
  redrive(request: RedriveRequest, way: Way): Promise<Carried>;
  /** Gives each event of a range once more, for one name. HPX-P004 while it is done for somebody else. */
  replay(request: ReplayRequest, way: Way): Promise<Carried>;
}

/** Goes along with an operation that takes long. */
export interface Way {
  /** Aborted: what is in hand is finished, the rest is left to the next time. */
  readonly signal: AbortSignal;
  /** Is told how to see how far it is. */
  readonly watch: (progress: () => Progress) => void;
}

export interface Progress {
  readonly received: number;
  /** `null` = they are not told apart. */
  readonly duplicate: number | null;
  readonly read_bytes: number;
  readonly size_bytes: number | null;
}

export const nothingYet: Progress = { received: 0, duplicate: null, read_bytes: 0, size_bytes: null };

/** The books of what was carried out: of a redrive in this go, of a replay from its first go on. */
export type Carried = Summary & {
  /** Else it was stopped before its end: asked for again, it goes on. */
  readonly complete: boolean;
};

/** Of the partitions, by name. */
export interface Page {
  readonly from: number;
  readonly limit: number;
}

export interface Status {
  readonly pipeline: string;
  readonly running: boolean;
  /** When the worker began. */
  readonly since: string | null;
  /** Its process id. */
  readonly process: number | null;
  /** Of all partitions, from the first run on. */
  readonly books: Summary;
  readonly store: StoreStatus | null;
  readonly input: InputStatus | null;
  readonly partitions: {
    readonly total: number;
    readonly from: number;
    readonly items: readonly PartitionStatus[];
  };
}

export interface StoreStatus {
  readonly marks: number;
  readonly open: number;
  readonly tail: number;
  readonly memory_bytes: number;
  readonly disk_bytes: number | null;
  /** When the oldest mark was accepted. */
  readonly oldest: string | null;
  readonly window_ms: number;
  /** Less than the window while a full store had to shrink it. */
  readonly effective_window_ms: number;
}

/** How far the checkpoints are in what the source has now. */
export interface InputStatus {
  readonly partitions: number;
  /** Those with nothing left to read. */
  readonly done: number;
  /** Those whose size tells nothing of their positions (compressed files): they are in no other number. */
  readonly unknown: number;
  readonly size_bytes: number;
  readonly done_bytes: number;
}

export interface PartitionStatus {
  readonly partition: string;
  readonly checkpoint: number | null;
  readonly epoch: number;
  /** The epoch that wrote the checkpoint; `null` = none did, or an operator moved it. */
  readonly writer: number | null;
  /** Deliveries between the checkpoint and the head; `null` = no worker reads it. */
  readonly ahead: number | null;
}

/** An event by what a person knows of it: its id and the parts of its scope, as they were typed. */
export interface Question {
  readonly id: string;
  readonly scope: readonly string[];
}

/** How a typed text was read: a number is another id than the text of its digits. */
export type ReadAs = 'text' | 'number';

export interface Explained extends Question {
  /** Of the first sight. */
  readonly state: 'none' | 'open' | 'settled';
  /** Each reading of the id that the window knows; hardly ever more than one. */
  readonly sights: readonly KnownEvent[];
}

export interface KnownEvent {
  readonly read_as: { readonly id: ReadAs; readonly scope: readonly ReadAs[] };
  readonly state: 'open' | 'settled';
  /** When the first copy was accepted, to within `tick_ms`. */
  readonly first: string;
  readonly tick_ms: number;
  /** When the mark is over; an open claim does not end. */
  readonly ends: string | null;
  /** As long as its checkpoint has not passed. */
  readonly owner: Owner | null;
  /** Only of an open claim: its session is at work; else it is cut off, and the next copy does the work. */
  readonly alive: boolean | null;
}

export type Owner =
  | { readonly partition: string; readonly position: number; readonly epoch: number }
  | { readonly lease: string };

export interface Forgotten extends Question {
  /** Refused: a claim is at work, and nothing was done. */
  readonly state: 'none' | 'forgotten' | 'refused';
  /** What the window knew. */
  readonly sights: readonly KnownEvent[];
}

export interface RewindRequest {
  /** `null` = all. */
  readonly partition: string | null;
  readonly to: number | 'start';
  /** Also beyond what is committed. */
  readonly force: boolean;
}

export interface Rewound {
  readonly moved: readonly {
    readonly partition: string;
    readonly from: number | null;
    readonly to: number;
  }[];
}

export interface LookRequest {
  readonly keys: readonly string[];
}

export interface Looked {
  readonly states: readonly ('none' | 'open' | 'settled')[];
}

/** Which dead letters are meant: those to which all of it applies. */
export interface Choice {
  readonly code?: string | undefined;
  /** The text of the event's id. */
  readonly id?: string | undefined;
}

export interface RedriveRequest extends Choice {
  /** The window forgets them first, so that what was settled since is done again. */
  readonly force: boolean;
}

export interface ReplayRequest {
  /** Events are deduplicated among those of this name, and are strangers to all others. */
  readonly as: string;
  /** Why; kept with the state. */
  readonly reason: string;
  /** A file of its own, with its own commits: the same request goes on where it was stopped. */
  readonly sink: string;
  /** By the events' own times, ms since 1970: from the first to before the last. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
