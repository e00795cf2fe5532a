import type { QuantityText } from '@nodeagent/api';
import type { RunningUsage } from '@nodeagent/memory-runtime';
import type { MetricQuery, MetricsSource } from '@nodeagent/test-api-server';
import type { TestNode } from './simulated-node.js';

/** The value of a custom or external metric, or a function that returns it for each query; undefined: there is none. */
export type MetricValue = QuantityText | number | undefined | ((query: MetricQuery) => QuantityText | number | undefined);

/** The metrics of simulated nodes: the usage in the scripts of their containers, and the given values by the name of the metric. */
export function clusterMetrics(nodes: ReadonlyMap<string, TestNode>, values: ReadonlyMap<string, MetricValue>): MetricsSource {
  /** As a metrics server, it reads the agents. */
  const reachable = () => [...nodes.values()].filter(({ isUp, isPartitioned }) => isUp && !isPartitioned);
  return {
    nodes: () => new Map(reachable().map(({ name, runtime }) => [name, sumOf(runtime.usages())])),
    value(query) {
      const value = values.get(query.name);
      return typeof value === 'function' ? value(query) : value;
    },
    pods() {
      const pods = new Map<string, ReturnType<MetricsSource['pods']>[number] & { containers: (RunningUsage & Sum)[] }>();
      for (const { runtime } of reachable()) {
        for (const usage of runtime.usages()) {
          const { pod: name, namespace, podUid } = usage;
          const pod = pods.get(podUid) ?? { name, namespace, containers: [] };
          pods.set(podUid, pod);
          pod.containers.push({ ...usage, ...sumOf([usage]) });
        }
      }
      return [...pods.values()];
    },
  };
}

interface Sum {
  nanoCores: number;
  memoryBytes: number;
}

function sumOf(usages: readonly RunningUsage[]): Sum {
  const sum = { nanoCores: 0, memoryBytes: 0 };
  for (const { nanoCores = 0, memoryBytes = 0 } of usages) {
    sum.nanoCores += nanoCores;
    sum.memoryBytes += memoryBytes;
  }
  return sum;
}
