/** A row of the reference: the setting's path, what it takes, its default, what it means. */
export type Row = readonly [setting: string, value: string, standard: string, meaning: string];

export interface Node {
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** Every setting of the JSON Schema that takes a value; those inside of a choice, too. */
export function rowsOf({ properties = {}, required = [], anyOf = [] }: Node, path = ''): Row[] {
  const own = Object.entries(properties).flatMap(([name, node]) => {
    const setting = path === '' ? name : `${path}.${name}`;
    const inner = rowsOf(node, setting);
    if (node.properties) return inner;
    return [
      [
        `\`${setting}\``,
        valueOf(node),
        standardOf(node, required.includes(name)),
        node.description ?? '',
      ] as const,
      ...inner,
    ];
  });
  return [...own, ...anyOf.flatMap((branch) => rowsOf(branch, path))];
}

function valueOf({ title, type, items, properties, anyOf }: Node): string {
  if (title !== undefined) return title;
  if (type === 'array' && items) return `list of: ${valueOf(items)}`;
  if (properties) return 'section';
  return (anyOf ?? []).map(valueOf).join(', or ');
}

function standardOf({ default: standard }: Node, isRequired: boolean): string {
  if (isRequired) return 'required';
  return standard === undefined
    ? ''
    : `\`${typeof standard === 'string' ? standard : JSON.stringify(standard)}\``;
}

/** The rows of a page, as they stand in its tables. */
export function rowsOn(page: string): string[][] {
  return [...page.matchAll(/^\| (`[a-z_.]+`) .*\|$/gm)].map(([line]) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
