/** Times are of `monotonic()`, in milliseconds. */
export interface ReportInput {
  /** Whether the status changed. */
  changed: boolean;
  /** Time of the last report; absent before the first one. */
  lastReport?: number;
  /** The delay of the last decision; 0 at first. */
  delay: number;
  reportFrequency: number;
}

/**
 * Whether to report the node's status now: after a change, else every `reportFrequency`. To spread the reports of nodes that changed
 * together, a change moves the next report by up to half of the frequency, earlier or later: pass the decision's `delay` to the next call.
 * `random` is in [0, 1). Kubernetes documentation, "Nodes: Node heartbeats".
 */
export function decideNodeReport(input: ReportInput, now: number, random: number): { report: boolean; delay: number } {
  const { changed, lastReport, delay, reportFrequency } = input;
  const isDue = lastReport === undefined || now - lastReport >= reportFrequency + delay;
  if (!changed && !isDue) return { report: false, delay };
  return { report: true, delay: changed || lastReport === undefined ? reportFrequency * (random - 0.5) : 0 };
}
