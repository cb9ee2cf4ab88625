/** The values of an option that can be given more than once. */
export function repeated(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, text];
}
