/** @types/node does not know the global that Node has. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  };
};

const pageBytes = 65_536;
const pagesMax = 65_536;

/**
 * Words that grow where they stand, up to 4 GiB. An array would have to be copied, so that for a moment two of them
 * exist; a resizable ArrayBuffer could do it too, but every access would cost 40 % more.
 */
export class StretchingWords {
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: pagesMax });

  /** At least so many words, the new ones 0. Views that were handed out before are void. Throws a RangeError without memory. */
  stretch(words: number): Uint32Array {
    const missing = Math.ceil((4 * words - this.#memory.buffer.byteLength) / pageBytes);
    if (missing > 0) this.#memory.grow(missing);
    return new Uint32Array(this.#memory.buffer);
  }
}
