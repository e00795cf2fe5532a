import type { InterfaceStats, NetworkStats, Time } from '@nodeagent/api';
import type { InterfaceCounters } from '../cgroup/proc-files.js';

/** The interface whose counters are those of the pod or node. */
const defaultInterface = 'eth0';

/** The counters of all interfaces. Those of `eth0`, if it exists, are at the top level too. */
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
