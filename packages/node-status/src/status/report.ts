/** Times are of `monotonic()`, in milliseconds. */
export interface ReportInput {
  /** Whether the status says something new. */
  changed: boolean;
  /** When the status was last reported; absent if it never was. */
  lastReport?: number;
  /** What the last decision gave; 0 at first. */
  delay: number;
  reportFrequency: number;
}

/**
 * Whether the node's status is to be reported now: when it changed, else each `reportFrequency`. Nodes that changed at once spread their
 * next reports by up to half of it, earlier or later: `delay` of the decision, to be given to the next one. `random` is in [0, 1).
 * Kubernetes documentation, "Nodes: Node heartbeats".
 */
export function decideNodeReport(input: ReportInput, now: number, random: number): { report: boolean; delay: number } {
  const { changed, lastReport, delay, reportFrequency } = input;
  const isDue = lastReport === undefined || now - lastReport >= reportFrequency + delay;
  if (!changed && !isDue) return { report: false, delay };
  return { report: true, delay: changed || lastReport === undefined ? reportFrequency * (random - 0.5) : 0 };
}
