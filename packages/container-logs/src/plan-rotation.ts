/** The state of one log. */
export interface LogState {
  /** Name of the current log, such as `0.log`. */
  log: string;
  /** Its size in bytes; undefined if it is missing. */
  size: number | undefined;
  /** Names of all files in its folder. Only used if the log is rotated. */
  names: readonly string[];
}

/** One step of a rotation. Names are relative to the log's folder. */
export type RotationStep =
  /** Makes the runtime create the log again, because the file was removed. */
  | { action: 'reopen' }
  | { action: 'remove'; name: string; reason: string }
  /** Replaces the file by its compressed form `<name>.gz`. */
  | { action: 'compress'; name: string }
  /** Renames the log and makes the runtime open a new one. */
  | { action: 'rotate'; name: string };

/** Suffix of a compressed log. */
export const compressSuffix = '.gz';
/** Suffix of a file whose compression is not finished. */
export const tmpSuffix = '.tmp';

/**
 * The steps that keep a log within its limits, in order; none while it is small enough. Of `maxFiles` files one is the current log, one is
 * the newest rotated log, not compressed so that readers can finish it, and the others are compressed. Kubernetes documentation,
 * "Logging Architecture".
 *
 * @param now milliseconds since 1970. Names are `<log>.YYYYMMDD-HHMMSS` in UTC; after the clock was set back the time is advanced, so that
 * names are unique and sort in the order of the logs.
 */
export function planRotation(
  { log, size, names }: LogState,
  now: number,
  { maxSize, maxFiles }: { maxSize: bigint | number; maxFiles: number },
): RotationStep[] {
  if (maxSize < 0) return [];
  if (size === undefined) return [{ action: 'reopen' }];
  if (size < maxSize) return [];

  const rotated = names.filter((name) => name.startsWith(`${log}.`)).sort();
  const steps: RotationStep[] = [];
  const remove = (name: string, reason: string) => steps.push({ action: 'remove', name, reason });

  const inUse: string[] = [];
  for (const name of rotated) {
    if (name.endsWith(tmpSuffix)) remove(name, 'an interrupted compression left it');
    else if (rotated.includes(name + compressSuffix)) remove(name, 'its compressed file exists');
    else inUse.push(name);
  }
  const excess = Math.max(0, inUse.length - Math.max(0, maxFiles - 2));
  for (const name of inUse.slice(0, excess)) remove(name, `more than ${maxFiles} files`);
  for (const name of inUse.slice(excess)) if (!name.endsWith(compressSuffix)) steps.push({ action: 'compress', name });
  return [...steps, { action: 'rotate', name: `${log}.${freeTimestamp(log, rotated, now)}` }];
}

/** The time as a name's suffix, later than those of all existing files. */
function freeTimestamp(log: string, rotated: readonly string[], now: number): string {
  const taken = rotated.map((name) => parseTimestamp(name.slice(log.length + 1))).filter((time) => time !== undefined);
  const latest = Math.max(...taken, Number.NEGATIVE_INFINITY);
  return formatTimestamp(Math.max(now, latest + 1000));
}

function parseTimestamp(text: string): number | undefined {
  const match = /^((\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d))(\.|$)/.exec(text);
  if (!match) return undefined;
  const [, stamp, year, month, ...rest] = match;
  const [day, hour, minute, second] = rest.map(Number);
  const time = Date.UTC(Number(year), Number(month) - 1, day, hour, minute, second);
  return formatTimestamp(time) === stamp ? time : undefined;
}

function formatTimestamp(time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T');
  return `${date.replaceAll('-', '')}-${clock.slice(0, 8).replaceAll(':', '')}`;
}
