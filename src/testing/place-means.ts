/** What a place must have, so that a check of what it supports looks at something. */
export type Means<Place, Support> = Partial<Record<keyof Support, readonly (keyof Place & string)[]>>;

export function assertHasMeans<Place, Support>(
  place: Place,
  support: keyof Support | undefined,
  means: Means<Place, Support>,
): void {
  if (support === undefined) return;
  for (const name of means[support] ?? [])
    if (place[name] === undefined) throw new Error(`supports.${String(support)} needs place.${name}`);
}
