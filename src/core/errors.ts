interface Entry {
  readonly title: string;
  readonly hint: string;
  readonly exit: number;
  /** Asking again may help. */
  readonly passing?: true;
  /** Of an answer over HTTP, where it is neither 500 nor, since it is passing, 503. */
  readonly status?: number;
}

/**
 * The one table of errors. Each has a code, a hint and an exit code; `docs/reference/errors.md` has a heading for
 * each and is checked against it. Codes stay for ever; C = configuration and usage, H = HTTP, I = input, S = window store,
 * P = pipeline, O = output.
 */
export const errors = {
  'HPX-C001': {
    title: 'not a duration',
    hint: 'write it like 48h, 90s or 1h30m (ms s m h d w)',
    exit: 2,
  },
  'HPX-C002': {
    title: 'not a JSON Pointer',
    hint: 'a pointer starts with "/" and names a member, like /event_id or /meta/id',
    exit: 2,
  },
  'HPX-C003': {
    title: 'a setting is not known',
    hint: 'hapax help lists the commands, hapax help dedup what that one takes',
    exit: 2,
  },
  'HPX-C004': { title: 'not a time', hint: 'write it as RFC 3339, like 2026-01-31T12:00:00Z', exit: 2 },
  'HPX-C005': { title: 'a value is not one of the choices', hint: 'the message names them', exit: 2 },
  'HPX-C006': { title: 'two settings exclude each other', hint: 'leave one of them out', exit: 2 },
  'HPX-C007': {
    title: 'there is nowhere to keep checkpoints',
    hint: 'give checkpoints to the pipeline, or use a sink that commits them',
    exit: 78,
  },
  'HPX-C008': { title: 'a setting needs another one', hint: 'give both, or neither', exit: 2 },
  'HPX-C009': {
    title: 'the secret has the wrong length',
    hint: 'give 32 random bytes, for instance those of openssl rand 32',
    exit: 78,
  },
  'HPX-C010': {
    title: 'the parts of a scope are too few or too many',
    hint: 'give one value for each part of the scope that the pipeline is configured with, in the same order',
    exit: 78,
    status: 400,
  },
  'HPX-C011': {
    title: 'the configuration cannot be read',
    hint: 'check the path and its permissions; it is a file of UTF-8 text, at most 1 MiB',
    exit: 78,
  },
  'HPX-C012': {
    title: 'the configuration is not YAML',
    hint: 'one document of "name: value" lines, indented by spaces, each name once',
    exit: 78,
  },
  'HPX-C013': {
    title: 'a variable or a secret is missing',
    hint: 'set it, or give a default: ${NAME:-default}',
    exit: 78,
  },
  'HPX-C014': { title: 'a setting is missing', hint: 'see docs/reference/configuration.md', exit: 78 },
  'HPX-C015': { title: 'a value has the wrong form', hint: 'the message says what it must be', exit: 78 },
  'HPX-C016': {
    title: 'not a size',
    hint: 'write it like 2GiB or 500MB (B, KiB MiB GiB TiB, kB MB GB TB)',
    exit: 78,
  },
  'HPX-C017': {
    title: 'the window does not fit into the store',
    hint: 'raise the limit of the store, or shorten the window',
    exit: 78,
  },
  'HPX-C018': {
    title: 'the identity settings are not those of the state',
    hint: 'with other settings no event of before is known; confirm with --confirm HPX-C018, or put the settings back',
    exit: 78,
  },
  'HPX-C019': {
    title: 'the identity module cannot be used',
    hint: 'its default export is a function that gives an id for each delivery of a batch',
    exit: 78,
  },
  'HPX-C020': {
    title: 'the range cannot be told',
    hint: 'set identity.event_time, or leave out --from and --to',
    exit: 78,
  },
  'HPX-C021': {
    title: 'the pipeline keeps no state',
    hint: 'a memory store goes with its worker: use store: { file: { path: … } }',
    exit: 78,
  },
  'HPX-C022': {
    title: 'a partition is not known',
    hint: 'hapax status CONFIG --all lists those that are',
    exit: 2,
    status: 404,
  },
  'HPX-C023': {
    title: 'the checkpoint would skip events',
    hint: 'name an offset that was reached already; or give --force: what lies between is not processed',
    exit: 1,
    status: 409,
  },
  'HPX-C024': {
    title: 'the window is shorter than what the source can give again',
    hint: 'lengthen the window, or take old files away; or confirm with --confirm HPX-C024: in a backlog older than the window copies pass',
    exit: 1,
  },
  'HPX-H001': {
    title: 'the request cannot be answered',
    hint: 'docs/how-to/operate-a-worker.md has the paths and what they take',
    exit: 2,
    status: 400,
  },
  'HPX-C025': {
    title: 'the pipeline keeps no dead letters',
    hint: 'set dead_letter: { file: { path: … } }',
    exit: 78,
  },
  'HPX-I001': { title: 'the input cannot be read', hint: 'check the path and its permissions', exit: 1 },
  'HPX-I002': {
    title: 'the compressed input is damaged or ends too early',
    hint: 'what came before was processed; get the file again and run once more',
    exit: 1,
  },
  'HPX-I003': {
    title: 'an event has no usable id and there is nowhere to put it',
    hint: 'give --dead-letter FILE, or choose --unidentified pass | fingerprint',
    exit: 1,
  },
  'HPX-I004': {
    title: 'the input is not UTF-8 text',
    hint: 'convert it first: iconv -f UTF-16 -t UTF-8, or gzip -dc; names that end in .gz are decompressed',
    exit: 1,
  },
  'HPX-O001': {
    title: 'the output cannot be written',
    hint: 'check the path, its permissions and the space left on the disk',
    exit: 1,
  },
  'HPX-O002': {
    title: 'the dead-letter sink refused a dead letter',
    hint: 'a dead letter is never skipped: make the sink accept it',
    exit: 1,
  },
  'HPX-O003': {
    title: 'the output takes nothing at the moment',
    hint: 'it is tried again until it works; check the space left on the disk',
    exit: 69,
    passing: true,
  },
  'HPX-O004': {
    title: 'a file is in the way of the output',
    hint: 'move it away, or choose another path; or confirm with --confirm HPX-O004: the output goes on behind what it has',
    exit: 78,
  },
  'HPX-O005': {
    title: 'the output was changed',
    hint: 'put it back as it was; or confirm with --confirm HPX-O005: the output goes on behind what it has now',
    exit: 1,
  },
  'HPX-O006': {
    title: 'the commit log of the output is damaged',
    hint: 'restore it from a copy; or confirm with --confirm HPX-O006: what is sound of it counts, the outputs stay as they are, what it has lost is read again',
    exit: 1,
  },
  'HPX-O007': {
    title: 'the output cannot take part in a commit',
    hint: 'give each output a regular file of its own that is not compressed',
    exit: 78,
  },
  'HPX-O008': {
    title: 'the output is an older copy',
    hint: 'bring back the latest one, with its commit log; or confirm with --confirm HPX-O008: what was committed after the copy counts as duplicate and is missing in it',
    exit: 78,
  },
  'HPX-O009': {
    title: 'the answer of a sink names no delivery that it was given',
    hint: '`at` counts within `outgoing.indices`, from 0; an answer is an object, with nothing in it if all is written',
    exit: 1,
  },
  'HPX-P001': {
    title: 'an event must be dead-lettered and there is nowhere to put it',
    hint: 'configure a dead-letter sink (hapax dedup: --dead-letter FILE)',
    exit: 1,
  },
  'HPX-P002': {
    title: 'the pipeline was run before',
    hint: 'a pipeline runs once; create another one',
    exit: 1,
  },
  'HPX-P003': {
    title: 'a batch has too many deliveries',
    hint: 'a source gives at most 65,536 at once',
    exit: 1,
  },
  'HPX-P004': {
    title: 'the worker cannot be asked at the moment',
    hint: 'it is starting or ending, or another command is at work: ask again in a moment',
    exit: 69,
    passing: true,
  },
  'HPX-S001': {
    title: 'the window store does not answer',
    hint: 'it is asked again until it does; check that it runs',
    exit: 69,
    passing: true,
  },
  'HPX-S002': {
    title: 'the window store is full',
    hint: 'raise its limit, shorten the window, or choose when_full: shrink',
    exit: 69,
    passing: true,
  },
  'HPX-S003': { title: 'the window store is closed', hint: 'do not use it after close()', exit: 1 },
  'HPX-S004': {
    title: 'another process uses the state',
    hint: 'stop it first, or give this pipeline a state directory of its own',
    exit: 78,
  },
  'HPX-S005': {
    title: 'the state is damaged',
    hint: 'restore it from a copy; or confirm with --confirm HPX-S005: what is sound is kept, events whose marks are lost may be repeated',
    exit: 78,
  },
  'HPX-S006': {
    title: 'a claim has more keys than the window store may keep',
    hint: 'raise its limit, or claim fewer at once',
    exit: 78,
  },
  'HPX-S007': {
    title: 'the state is of another version',
    hint: 'use the version of Hapax that wrote it, or a new state directory',
    exit: 78,
  },
  'HPX-S008': {
    title: 'the state directory cannot be used',
    hint: 'check the path, its permissions and the space left on the disk',
    exit: 78,
  },
  'HPX-S009': {
    title: 'the state is an older copy',
    hint: 'bring back the latest one; or confirm with --confirm HPX-S009: what came after the copy may be repeated',
    exit: 78,
  },
  'HPX-S010': {
    title: 'the worker does not answer',
    hint: 'see whether it still runs, then ask again; what was asked for may have been done or not',
    exit: 69,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errors;

export class HapaxError extends Error {
  override readonly name = 'HapaxError';
  readonly code: ErrorCode;
  /** The delivery that it is about. */
  readonly place: { readonly partition: string; readonly position: number } | undefined;

  /** `detail` says what and where; the table adds what to do next. */
  constructor(
    code: ErrorCode,
    detail: string,
    options?: ErrorOptions & { place?: { partition: string; position: number } },
  ) {
    super(`${errors[code].title}: ${detail}`, options);
    this.code = code;
    this.place = options?.place;
  }
  /** Asking again may help. */
  get passing(): boolean {
    return 'passing' in errors[this.code];
  }
  /** Wraps a fault of the operating system or a library; `where` is the file or the part that had it. */
  static because(code: ErrorCode, where: string, error: unknown): HapaxError {
    if (error instanceof HapaxError) return error;
    const what = error instanceof Error ? error.message.replace(/, \w+( '.*')?$/, '') : String(error);
    return new HapaxError(code, `${where}: ${what}`, { cause: error });
  }
  get hint(): string {
    return errors[this.code].hint;
  }
  get exit(): number {
    return errors[this.code].exit;
  }
  /** Of an answer over HTTP. */
  get status(): number {
    const { status, passing }: Entry = errors[this.code];
    return status ?? (passing ? 503 : 500);
  }
}

/** A fault that asking again cannot mend. */
export function isFinal(error: unknown): boolean {
  return error instanceof HapaxError && !error.passing;
}
