import { HapaxError } from '../errors.ts';

/** The decoded reference tokens of a JSON Pointer (RFC 6901); none = the whole document. Refused: HPX-C002. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer))
    throw new HapaxError('HPX-C002', JSON.stringify(pointer));
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Several pointers as one tree; `number`s are in preorder, so the nodes below `n` are `n + 1 … last`. */
export interface PointerNode {
  readonly token: string;
  readonly number: number;
  readonly last: number;
  readonly children: readonly PointerNode[];
  /** A pointer ends here. */
  readonly named: boolean;
}

export function pointerTree(pointers: readonly string[]): PointerNode {
  return branch('', pointers.map(parsePointer), 0);
}

function branch(token: string, paths: readonly (readonly string[])[], number: number): PointerNode {
  const children: PointerNode[] = [];
  let last = number;
  for (const next of new Set(paths.flatMap((path) => path.slice(0, 1)))) {
    const child = branch(
      next,
      paths.filter(([first]) => first === next).map((path) => path.slice(1)),
      last + 1,
    );
    children.push(child);
    last = child.last;
  }
  return { token, number, last, children, named: paths.some((path) => path.length === 0) };
}

/** The node that a pointer leads to. */
export function nodeAt(tree: PointerNode, pointer: string): PointerNode | undefined {
  return parsePointer(pointer).reduce<PointerNode | undefined>(
    (node, token) => node?.children.find((child) => child.token === token),
    tree,
  );
}

/** The array index that a token means, −1 if it means none. */
export function arrayIndex(token: string): number {
  return /^(0|[1-9]\d{0,14})$/.test(token) ? Number(token) : -1;
}
