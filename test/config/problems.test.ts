import assert from 'node:assert/strict';
import test from 'node:test';
import { nearest } from '../../src/core/nearest.ts';
import { formatProblems, type Problem } from '../../src/config/problems.ts';

const at = (lineText: string, column: number, length: number): Problem => ({
  severity: 'error',
  code: 'HPX-C003',
  message: 'm',
  hint: 'h',
  place: { line: 14, column, lineText, length },
});

test('a problem is printed with its line, what it is about, and what to do', () => {
  assert.equal(
    formatProblems('hapax.yaml', [
      {
        severity: 'error',
        code: 'HPX-C003',
        message: 'unknown setting "max_memmory" in store.redis',
        hint: 'did you mean "max_memory"?',
        place: { line: 14, column: 5, lineText: '    max_memmory: 2GiB', length: 11 },
      },
      { severity: 'note', message: 'about it as a whole', hint: 'do that' },
      {
        severity: 'warning',
        message: 'without a hint',
        place: { line: 100, column: 1, lineText: 'a', length: 1 },
      },
    ]),
    `hapax.yaml:14:5 error HPX-C003: unknown setting "max_memmory" in store.redis
   14 |     max_memmory: 2GiB
      |     ^^^^^^^^^^^ did you mean "max_memory"?
hapax.yaml note: about it as a whole
  do that
hapax.yaml:100:1 warning: without a hint
  100 | a
      | ^
more: hapax help HPX-C003
`,
  );
  assert.equal(formatProblems('hapax.yaml', []), '');
});

test('tabs and long lines do not move the mark away from what it is about', () => {
  const markOf = (problem: Problem) => {
    const [, line, marks] = formatProblems('a', [problem]).split('\n');
    return line.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1).trimEnd();
  };
  assert.equal(markOf(at('a\tb: wrong', 6, 5)), 'wrong');
  assert.equal(markOf(at(`${'x'.repeat(500)} wrong ${'y'.repeat(500)}`, 502, 5)), 'wrong');
  assert.equal(markOf(at(`${'x'.repeat(500)} wrong`, 502, 5)), 'wrong');
  assert.equal(markOf(at('z'.repeat(1_000), 1, 1_000)), 'z'.repeat(100));
  assert.match(formatProblems('a', [at('', 1, 0)]), /\| \^ h$/m);
});

test('colours are used only where they are given', () => {
  const painted = formatProblems('a', [at('b', 1, 1)], (style, text) => `<${style}>${text}</>`);
  assert.match(
    painted,
    /^a:14:1 <red>error HPX-C003:<\/> m\n<dim> {3}14 \|<\/> b\n<dim> {6}\|<\/> <red>\^<\/> h\n/,
  );
});

test('the nearest name is one that may have been meant, or none', () => {
  const names = ['path', 'follow', 'line_size_max', 'dead-letter', 'drop'];
  for (const [word, name] of [
    ['folow', 'follow'],
    ['apth', 'path'],
    ['linesize_max', 'line_size_max'],
    ['dead_letter', 'dead-letter'],
    ['DROP', 'drop'],
    ['kafka', undefined],
    ['x', undefined],
  ] as const)
    assert.equal(nearest(word, names), name, word);
  assert.equal(nearest('a', []), undefined);
});
