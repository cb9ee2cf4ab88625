import type { Eye, Pen } from './pen.ts';

/** Whose claims they are, as a record says it. */
export type OwnerRecord =
  | { readonly kind: 'partition'; readonly number: number }
  /** None of its fences is greater. */
  | { readonly kind: 'lease'; readonly token: string; readonly leaseMs: number; readonly fence: number };

/**
 * Some elements of a block of claims: everything that is known of them. The arrays have a place for each element of the
 * block, those that are not listed are left empty.
 */
export interface BlockRecord {
  /** Never used again; later records name the block by it. */
  readonly id: number;
  readonly owner: OwnerRecord;
  /** The epoch of a partition's claims; of leases 0, for they do not survive their process. */
  readonly term: number;
  /** ms since 1970 */
  readonly acceptedAt: number;
  /** How many elements the block has. */
  readonly count: number;
  readonly elements: Uint32Array;
  readonly fingerprints: Uint32Array;
  readonly positions: Float64Array;
  readonly bodies?: Uint32Array;
  /** State bytes; what all share is written once. */
  readonly states: Uint8Array;
}

const isLease = 1;
const hasBodies = 2;
const isDense = 4;
const hasOneState = 8;
const hasNear = 16;
/** 112 bits. */
const keySize = 14;

export function writeBlock(pen: Pen, block: BlockRecord): void {
  const { id, owner, term, acceptedAt, count, elements, positions, bodies, states } = block;
  const oneState = areAlike(states, elements);
  const near = areNear(positions, elements);
  pen.byte(
    (owner.kind === 'lease' ? isLease : 0) |
      (bodies ? hasBodies : 0) |
      (elements.length === count ? isDense : 0) |
      (oneState ? hasOneState : 0) |
      (near ? hasNear : 0),
  );
  pen.whole(id);
  if (owner.kind === 'partition') {
    pen.whole(owner.number);
    pen.whole(term);
  } else {
    pen.text(owner.token);
    pen.whole(owner.leaseMs);
    pen.whole(owner.fence);
  }
  pen.float(acceptedAt);
  pen.whole(count);
  if (elements.length < count) writeElements(pen, elements);
  writeKeys(pen, block);
  writePositions(pen, positions, elements, near);
  if (bodies) for (const i of elements) for (const word of [0, 1]) pen.word(bodies[2 * i + word]);
  if (oneState) pen.byte(states[elements[0]]);
  else for (const i of elements) pen.byte(states[i]);
}

export function readBlock(eye: Eye): BlockRecord {
  const flags = eye.byte();
  const id = eye.whole();
  const owner: OwnerRecord =
    flags & isLease
      ? { kind: 'lease', token: eye.text(), leaseMs: eye.whole(), fence: eye.whole() }
      : { kind: 'partition', number: eye.whole() };
  const term = owner.kind === 'lease' ? 0 : eye.whole();
  const acceptedAt = eye.float();
  const count = eye.whole();
  const elements = flags & isDense ? allOf(count) : readElements(eye);
  const fingerprints = readKeys(eye, count, elements);
  const positions = readPositions(eye, count, elements, (flags & hasNear) !== 0);
  const bodies = flags & hasBodies ? new Uint32Array(2 * count) : undefined;
  if (bodies) for (const i of elements) for (const word of [0, 1]) bodies[2 * i + word] = eye.word();
  const states = new Uint8Array(count);
  if (flags & hasOneState) {
    const state = eye.byte();
    for (let k = 0; k < elements.length; k++) states[elements[k]] = state;
  } else for (const i of elements) states[i] = eye.byte();
  return {
    id,
    owner,
    term,
    acceptedAt,
    count,
    elements,
    fingerprints,
    positions,
    ...(bodies && { bodies }),
    states,
  };
}

function allOf(count: number): Uint32Array {
  const elements = new Uint32Array(count);
  for (let i = 0; i < count; i++) elements[i] = i;
  return elements;
}

/** Rising numbers, by their distances. */
export function writeElements(pen: Pen, elements: ArrayLike<number>): void {
  pen.whole(elements.length);
  let before = 0;
  for (let k = 0; k < elements.length; k++) {
    pen.whole(elements[k] - before);
    before = elements[k];
  }
}

export function readElements(eye: Eye): Uint32Array {
  const elements = new Uint32Array(eye.whole());
  let before = 0;
  for (let k = 0; k < elements.length; k++) elements[k] = before += eye.whole();
  return elements;
}

function writeKeys(pen: Pen, { elements, fingerprints }: BlockRecord): void {
  pen.reserve(keySize * elements.length);
  const { bytes } = pen;
  let { at } = pen;
  for (let k = 0; k < elements.length; k++) {
    const i = elements[k];
    for (let word = 4 * i; word < 4 * i + 3; word++) {
      const value = fingerprints[word];
      bytes[at++] = value;
      bytes[at++] = value >>> 8;
      bytes[at++] = value >>> 16;
      bytes[at++] = value >>> 24;
    }
    const last = fingerprints[4 * i + 3];
    bytes[at++] = last >>> 16;
    bytes[at++] = last >>> 24;
  }
  pen.at = at;
}

function readKeys(eye: Eye, count: number, elements: Uint32Array): Uint32Array {
  const fingerprints = new Uint32Array(4 * count);
  const { bytes } = eye;
  let { at } = eye;
  for (let k = 0; k < elements.length; k++) {
    const i = elements[k];
    for (let word = 4 * i; word < 4 * i + 3; word++) {
      fingerprints[word] = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
      at += 4;
    }
    fingerprints[4 * i + 3] = (bytes[at] << 16) | (bytes[at + 1] << 24);
    at += 2;
  }
  eye.at = at;
  return fingerprints;
}

function areAlike(states: Uint8Array, elements: Uint32Array): boolean {
  for (let k = 1; k < elements.length; k++) if (states[elements[k]] !== states[elements[0]]) return false;
  return true;
}

/** Whole and rising, so that their distances say them. */
function areNear(positions: Float64Array, elements: Uint32Array): boolean {
  let before = 0;
  for (let k = 0; k < elements.length; k++) {
    const position = positions[elements[k]];
    if (!(position >= before) || !Number.isSafeInteger(position)) return false;
    before = position;
  }
  return true;
}

function writePositions(pen: Pen, positions: Float64Array, elements: Uint32Array, near: boolean): void {
  let before = 0;
  for (let k = 0; k < elements.length; k++) {
    const position = positions[elements[k]];
    if (near) pen.whole(position - before);
    else pen.float(position);
    before = position;
  }
}

function readPositions(eye: Eye, count: number, elements: Uint32Array, near: boolean): Float64Array {
  const positions = new Float64Array(count);
  let before = 0;
  for (let k = 0; k < elements.length; k++)
    before = positions[elements[k]] = near ? before + eye.whole() : eye.float();
  return positions;
}
