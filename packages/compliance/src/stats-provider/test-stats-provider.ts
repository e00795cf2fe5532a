import type { PodReference, StatsProvider, Summary, SummarySource } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import type { StatsProviderSubject } from './stats-provider-suite.js';

const time = '2026-01-02T00:00:00Z';
const pod: PodReference = { name: 'web', namespace: 'default', uid: 'u1' };

/** A stats provider written from the contract alone: it measures the memory of one container. */
function createTinyStats(nodeName: string, memory: (signal: AbortSignal) => Promise<bigint>): StatsProvider {
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

/** The subject of {@link createTinyStats}, optionally modified by a test. */
export function tinySubject(change: (stats: StatsProvider) => Partial<StatsProvider> = () => ({})): { subject: StatsProviderSubject } {
  const clock = createVirtualClock();
  let bytes = 0n;
  let isFailing = false;
  const stats = createTinyStats('n1', async (signal) => {
    await clock.sleep(10, signal);
    if (isFailing) throw new Error('no stats');
    return bytes;
  });
  return {
    subject: {
      stats: { ...stats, ...change(stats) },
      nodeName: 'n1',
      container: { pod, name: 'main' },
      use: (next) => {
        bytes = next;
      },
      setFailing: (next) => {
        isFailing = next;
      },
      advance: clock.advance,
    },
  };
}
