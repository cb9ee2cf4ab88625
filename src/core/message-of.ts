/** What was thrown, in words; anything can be thrown, and it need not be able to tell. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'something that has no words was thrown';
  }
}
