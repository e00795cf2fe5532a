import type { PodReference, StatsProvider, Summary, SummarySource } from '@nodeagent/api';

const time = '2026-01-02T00:00:00Z';

/** The ports of {@link createTestStatsProvider}. */
export interface TestStatsPorts {
  nodeName: string;
  /** The pod of the measured container, which is named `main`. */
  pod: PodReference;
  /** The container's working set in bytes. */
  memory(signal: AbortSignal): Promise<bigint>;
}

/** A stats provider: it measures the memory of one container. */
export function createTestStatsProvider({ nodeName, pod, memory }: TestStatsPorts): StatsProvider {
  const summary: SummarySource['summary'] = async ({ signal }): Promise<Summary> => {
    const workingSetBytes = await memory(signal);
    signal.throwIfAborted();
    const main = { name: 'main', startTime: time, memory: { time, workingSetBytes } };
    return { node: { nodeName, startTime: time }, pods: [{ podRef: pod, startTime: time, containers: [main] }] };
  };
  const page = async (signal: AbortSignal) => {
    const { pods } = await summary({ fresh: false, signal });
    const lines = pods.flatMap(({ podRef, containers }) =>
      containers.map(({ name, memory: { workingSetBytes } = { time } }) => {
        const labels = `container="${name}",namespace="${podRef.namespace}",pod="${podRef.name}"`;
        return `container_memory_working_set_bytes{${labels}} ${workingSetBytes}`;
      }),
    );
    return `# TYPE container_memory_working_set_bytes gauge\n${lines.join('\n')}\n`;
  };
  return {
    summary,
    containerMetrics: ({ signal }) => page(signal),
    async resourceMetrics({ signal }) {
      try {
        return `${await page(signal)}resource_scrape_error 0\n`;
      } catch {
        signal.throwIfAborted();
        return 'resource_scrape_error 1\n';
      }
    },
  };
}
