/**
 * How something is, the worst first: `bad` needs somebody, `warn` may soon, `busy` and `ending` are on their way, `ok` is as it shall be,
 * `done` has ended well.
 */
export type Level = 'bad' | 'warn' | 'busy' | 'ending' | 'ok' | 'done';

/** How something is, and why in a few words; the words are empty where there is nothing to say. */
export interface Health {
  level: Level;
  /** The level in this case: `failing`, `restarted`, `not ready`. */
  state: string;
  text: string;
  /** When it is tried again, milliseconds since 1970. */
  until?: number;
}
