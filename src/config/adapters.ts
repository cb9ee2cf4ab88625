import * as z from 'zod';
import { section } from './section.ts';
import { choice, count, duration, flag, path, size } from './values.ts';

/** The settings of every adapter, by its kind and name. A new adapter is a new entry. */
export const sources = {
  file: section({
    path: paths().describe(
      'files, or patterns like `events/*.ndjson`; `.gz` is decompressed, `-` is standard input',
    ),
    follow: flag()
      .prefault(false)
      .describe('go on when the end is reached: wait for growth and for new files'),
    lines: flag()
      .prefault(false)
      .describe('any text by lines, each is an event and its own id; needs `identity.id: line`'),
    line_size_max: size().prefault('16MiB').describe('a longer line has no usable id'),
  }).describe('NDJSON, or any text by lines, from files'),
};

/** What a store can have at all, and about what one mark needs. */
export const capacities = { marks: 120_000_000, diskBytesPerMark: 20 };

const marksMax = () =>
  count(capacities.marks).optional().describe('the most keys that are kept; at most 120 million');

const whenFull = () =>
  choice(['wait', 'shrink'])
    .prefault('wait')
    .describe(
      '`wait`: nothing more is read until there is room; `shrink`: the window gets shorter, with an alarm',
    );

export const stores = {
  file: section({
    path: path().describe('the state directory; of this pipeline alone'),
    marks_max: marksMax(),
    disk_max: size().optional().describe('the most space on the disk'),
    when_full: whenFull(),
  }).describe('a window on the disk, which a restart keeps'),
  memory: section({
    marks_max: marksMax(),
    when_full: whenFull(),
  }).describe('a window in memory, which a restart forgets'),
};

export const sinks = {
  file: section({ path: path().describe('the file that is written') }).describe('NDJSON into a file'),
  stdout: section({}).describe('NDJSON to standard output'),
};

/** For duplicates and dead letters. */
export const sideSinks = {
  file: section({
    path: path().describe('the file that is written'),
    keep: duration()
      .optional()
      .describe(
        'how long its events are kept, in files with a time in their names; unless set, for ever in one',
      ),
  }).describe('NDJSON into a file'),
};

/** One path, or a list of them. */
function paths() {
  const list = z.array(path(), { error: 'a list of paths' }).min(1, { error: 'a list of at least one path' });
  const written = z.union([path(), list], { error: 'a path, or a list of paths' });
  return z.codec(written, z.array(z.string()), {
    decode: (it) => (typeof it === 'string' ? [it] : it),
    encode: (it) => it,
  });
}
