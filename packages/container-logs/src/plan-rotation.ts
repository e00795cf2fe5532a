/** What is to be known of one log. */
export interface LogState {
  /** Name of the log in use, such as `0.log`. */
  log: string;
  /** Its size in bytes; undefined if it is not there. */
  size: number | undefined;
  /** Names of all files in its folder. Only needed from the size on at which it is rotated. */
  names: readonly string[];
}

/** One step of a rotation. Names lie in the log's folder. */
export type RotationStep =
  /** Lets the runtime make the log anew: somebody took it away. */
  | { action: 'reopen' }
  | { action: 'remove'; name: string; reason: string }
  /** Replaces the file by its compressed form `<name>.gz`. */
  | { action: 'compress'; name: string }
  /** Gives the log another name and lets the runtime go on in a new one. */
  | { action: 'rotate'; name: string };

/** `.gz` ends what is compressed. */
export const compressSuffix = '.gz';
/** `.tmp` ends what a compression has not finished. */
export const tmpSuffix = '.tmp';

/**
 * The steps that keep a log within its limits, in order; none while it is small enough. Of `maxFiles` files one is in use, one is the
 * log just rotated, still plain for whoever reads it, and the others are compressed. The rule is that of
 * the Kubernetes documentation, "Logging Architecture".
 *
 * @param now milliseconds since 1970: names are `<log>.YYYYMMDD-HHMMSS` in UTC, moved ahead if the clock went back, so that their
 * order is always that of the logs and none is used twice.
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
    if (name.endsWith(tmpSuffix)) remove(name, 'a compression that never ended left it');
    else if (rotated.includes(name + compressSuffix)) remove(name, 'its compressed form is there');
    else inUse.push(name);
  }
  const excess = Math.max(0, inUse.length - Math.max(0, maxFiles - 2));
  for (const name of inUse.slice(0, excess)) remove(name, `more than ${maxFiles} files`);
  for (const name of inUse.slice(excess)) if (!name.endsWith(compressSuffix)) steps.push({ action: 'compress', name });
  return [...steps, { action: 'rotate', name: `${log}.${freeTimestamp(log, rotated, now)}` }];
}

/** The time as a name's ending, later than those of all files that are there. */
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
