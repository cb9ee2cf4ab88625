/** A table in Markdown. */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const cells of [titles, titles.map(() => '---'), ...rows]) console.log(`| ${cells.join(' | ')} |`);
  console.log();
}
