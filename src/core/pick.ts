/** The chosen elements of a column, `width` words each. */
export function pickWords(words: Uint32Array, width: number, indices: ArrayLike<number>): Uint32Array {
  const picked = new Uint32Array(indices.length * width);
  for (let k = 0; k < indices.length; k++) {
    for (let w = 0; w < width; w++) picked[k * width + w] = words[indices[k] * width + w];
  }
  return picked;
}

export function pickNumbers(numbers: Float64Array, indices: ArrayLike<number>): Float64Array {
  const picked = new Float64Array(indices.length);
  for (let k = 0; k < indices.length; k++) picked[k] = numbers[indices[k]];
  return picked;
}
