/** What may be done to a text id before it is compared, only if asked for. */
export const normalisers = {
  /** Any usual spelling of a UUID (case, braces, urn:uuid:, no hyphens) becomes the canonical one; other texts stay. */
  uuid: (text) => {
    const bare =
      /^(?:urn:uuid:|\{)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i.exec(
        text,
      );
    return bare ? bare.slice(1).join('-').toLowerCase() : text;
  },
  lower: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  nfc: (text) => text.normalize('NFC'),
} as const satisfies Record<string, (text: string) => string>;

export type Normaliser = keyof typeof normalisers;

export function normalise(text: string, names: readonly Normaliser[]): string {
  return names.reduce((value, name) => normalisers[name](value), text);
}
