/** The parts of it that are used; the types of Node 20 have none. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** A variable of a module. */
export interface Global {
  value: number;
}
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export const pageBytes = 65_536;

/** Compiled when it is first asked for; each call gives an instance with a memory of its own. */
export function wasmModule(base64: string): (imports: object) => unknown {
  let compiled: object | undefined;
  return (imports) => {
    compiled ??= new WebAssembly.Module(Buffer.from(base64, 'base64'));
    return new WebAssembly.Instance(compiled, imports).exports;
  };
}
