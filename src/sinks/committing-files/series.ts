import { join, parse } from 'node:path';
import type { OutputFile } from './ledger.ts';

const hourMs = 3_600_000;
/** A file has this part of the time that is kept, between an hour and a day. */
const filesInKeep = 8;

/** How the files of an output are called: one for ever, or a series whose names sort by time. */
export interface Series {
  /** What the ledger calls the output. */
  readonly name: string;
  /** The file that begins at this time, ms since 1970. */
  readonly fileAt: (now: number) => OutputFile;
  /** It is as old as files may be. */
  readonly isOld: (file: OutputFile, now: number) => boolean;
}

/** `path` as the folder of the log sees it. */
export function seriesOf(path: string, keepMs: number | undefined): Series {
  if (keepMs === undefined) return { name: path, fileAt: () => ({ file: path }), isOld: () => false };
  const { dir, name, ext } = parse(path);
  const named = (stamp: string): string => join(dir, `${name}-${stamp}${ext}`);
  const hours = Math.min(24, Math.max(1, Math.floor(keepMs / filesInKeep / hourMs)));
  return {
    name: named('*'),
    fileAt: (now) => {
      const from = Math.floor(now / hourMs) * hourMs;
      return { file: named(stampOf(from)), until: from + hours * hourMs };
    },
    isOld: ({ until = Infinity }, now) => now >= until + keepMs,
  };
}

/** `20261130T14Z` */
function stampOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 13).replaceAll('-', '')}Z`;
}
