/** Writes numbers into bytes that grow as they have to; little-endian. */
export class Pen {
  bytes: Buffer;
  at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Makes room for so many bytes more. */
  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.at + size));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
  }

  fill(size: number): void {
    this.reserve(size);
    this.bytes.fill(0, this.at, (this.at += size));
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** A whole number from 0 to 2^53 in 1 to 8 bytes: small ones are short. */
  whole(value: number): void {
    this.reserve(8);
    const { bytes } = this;
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) bytes[this.at++] = (rest % 128) | 0x80;
    for (; rest > 0x7f; rest >>>= 7) bytes[this.at++] = (rest & 0x7f) | 0x80;
    bytes[this.at++] = rest;
  }

  float(value: number): void {
    this.reserve(8);
    this.at = this.bytes.writeDoubleLE(value, this.at);
  }

  word(value: number): void {
    this.reserve(4);
    this.at = this.bytes.writeUInt32LE(value >>> 0, this.at);
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.whole(size);
    this.reserve(size);
    this.at += this.bytes.write(value, this.at);
  }
}

/** Reads what a `Pen` wrote. */
export class Eye {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  byte(): number {
    return this.bytes[this.at++];
  }

  whole(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.at >= this.bytes.length) throw new RangeError('a record ends too early');
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  float(): number {
    const value = this.bytes.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  word(): number {
    const value = this.bytes.readUInt32LE(this.at);
    this.at += 4;
    return value;
  }

  text(): string {
    const size = this.whole();
    this.at += size;
    return this.bytes.toString('utf8', this.at - size, this.at);
  }
}
