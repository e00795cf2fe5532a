import type { RunningUsage } from '@nodeagent/memory-runtime';
import type { MetricsSource } from '@nodeagent/test-api-server';
import type { TestNode } from './simulated-node.js';

/** The metrics API of simulated nodes: the usage in the scripts of their containers. */
export function clusterMetrics(nodes: ReadonlyMap<string, TestNode>): MetricsSource {
  return {
    nodes: () => new Map(Array.from(nodes.values(), ({ name, runtime }) => [name, sumOf(runtime.usages())])),
    pods() {
      const pods = new Map<string, ReturnType<MetricsSource['pods']>[number] & { containers: (RunningUsage & Sum)[] }>();
      for (const { runtime } of nodes.values()) {
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
