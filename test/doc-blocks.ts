/** What the documentation claims, taken apart so that it can be run: fenced blocks, shell lines, links, anchors. */
export interface Block {
  readonly page: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  /** `sh`, `ts` or `text`. */
  readonly language: string;
  /** What follows the language, like `exit=1`. */
  readonly info: string;
  readonly text: string;
}

export interface Step {
  readonly command: string;
  /** What the page shows after it; `undefined` = nothing is shown, anything may come. */
  readonly output: string | undefined;
}

export function blocksOf(page: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const fence = /^( *)(```+)(\S*) *(.*)$/.exec(lines[i]);
    if (!fence) continue;
    const [, indent, ticks, language, info] = fence;
    const end = lines.indexOf(indent + ticks, i + 1);
    if (end < 0) throw new Error(`${page}:${i + 1}: the block has no end`);
    const inner = lines
      .slice(i + 1, end)
      .map((line) => line.slice(Math.min(indent.length, line.search(/\S|$/))));
    blocks.push({ page, line: i + 1, language, info, text: inner.join('\n') });
    i = end;
  }
  return blocks;
}

/** `$ ` starts a command, `> ` goes on with it, everything else is what it prints. */
export function stepsOf(text: string): Step[] {
  const steps: { command: string[]; output: string[] }[] = [];
  for (const line of text.split('\n')) {
    const step = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: [line.slice(2)], output: [] });
    else if (!step) throw new Error(`a line before the first "$ ": ${line}`);
    else if ((line.startsWith('> ') || line === '>') && step.output.length === 0)
      step.command.push(line.slice(2));
    else step.output.push(line);
  }
  return steps.map(({ command, output }) => ({
    command: command.join('\n'),
    output: output.join('').trim() === '' ? undefined : output.join('\n').trim(),
  }));
}

/** `…` stands for any text within a line; alone on a line, for any lines. */
export function looksLike(actual: string, shown: string): boolean {
  const pattern = shown
    .trim()
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:.*\\n)*?.*'
        : line
            .trimEnd()
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*'),
    )
    .join('\\n');
  const tidy = actual
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
  return new RegExp(`^${pattern}$`).test(tidy);
}

/** Where the page points to within the project: the path and the heading, as they are written. */
export function linksOf(markdown: string): { readonly path: string; readonly anchor: string }[] {
  const prose = withoutBlocks(markdown);
  return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
    ([, path, anchor = '']) => ({
      path,
      anchor,
    }),
  );
}

/** The anchors of a page's headings, as code hosts make them. */
export function anchorsOf(markdown: string): string[] {
  return [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

function withoutBlocks(markdown: string): string {
  return markdown
    .replace(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));
}
