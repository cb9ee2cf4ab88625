import { cpus, loadavg } from 'node:os';

/** What a table was measured on, in a line. */
export function machine(): string {
  const load = loadavg()[0].toFixed(1);
  return `${cpus().length} × ${cpus()[0].model}, Node ${process.versions.node}, load before ${load}`;
}
