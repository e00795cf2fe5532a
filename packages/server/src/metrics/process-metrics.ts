import { readdirSync } from 'node:fs';
import type { Clock, Metrics } from '@nodeagent/api';

/** Registers the process metrics of Prometheus clients; call the returned function to update them before a scrape. */
export function processMetrics(metrics: Metrics, clock: Clock): () => void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.' });
  const memory = gauge('process_resident_memory_bytes', 'Resident memory size in bytes.');
  const files = gauge('process_open_fds', 'Number of open file descriptors.');
  const start = gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.');
  const startedAt = clock.now() / 1_000 - process.uptime();
  let counted = 0;
  return () => {
    const { user, system } = process.cpuUsage();
    const used = (user + system) / 1e6;
    cpu.inc({}, used - counted);
    counted = used;
    memory.set(process.memoryUsage.rss());
    files.set(openFiles());
    start.set(startedAt);
  };
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}
