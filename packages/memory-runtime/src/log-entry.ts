/** A line of a container's log. */
export interface LogEntry {
  /** Clock time in milliseconds. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
}
