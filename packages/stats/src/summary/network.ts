import type { InterfaceStats, NetworkStats, Time } from '@nodeagent/api';
import type { InterfaceCounters } from '../cgroup/proc-files.js';

/** The interface whose figures are a pod's or node's own. */
const defaultInterface = 'eth0';

/** All interfaces, and the figures of that called exactly `eth0` as those of the whole, if there is one. */
export function networkStats(time: Time, counters: readonly InterfaceCounters[]): NetworkStats {
  const interfaces: InterfaceStats[] = counters.map(({ name, rxBytes, rxErrors, txBytes, txErrors }) => ({
    name,
    rxBytes,
    rxErrors,
    txBytes,
    txErrors,
  }));
  return { time, ...interfaces.find(({ name }) => name === defaultInterface), interfaces };
}
