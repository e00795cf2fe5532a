/**
 * Health level, worst first: `bad` needs attention, `warn` may need it, `busy` starts, `ending` terminates, `ok` is healthy, `done` has
 * completed.
 */
export type Level = 'bad' | 'warn' | 'busy' | 'ending' | 'ok' | 'done';

/** A health level with the reason; `text` is empty if there is none. */
export interface Health {
  level: Level;
  /** The state in short: `failing`, `restarted`, `not ready`. */
  state: string;
  text: string;
  /** Time of the next retry, milliseconds since 1970. */
  until?: number;
}

const order: readonly Level[] = ['bad', 'warn', 'busy', 'ending', 'ok', 'done'];

/** Orders levels, worst first. */
export function compareLevels(a: Level, b: Level): number {
  return order.indexOf(a) - order.indexOf(b);
}
