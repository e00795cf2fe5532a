import type { Summary } from '@nodeagent/api';

/** What stands in the text where an exact integer goes; no figure or name of Kubernetes begins so. */
const mark = '\u0000';
const marked = /"\\u0000(-?\d+)"/g;

/** The Summary API's JSON: its uint64 are numbers with all their digits, which `JSON.stringify` alone cannot write. */
export function summaryJson(summary: Summary): string {
  const text = JSON.stringify(summary, (_key, value: unknown) => (typeof value === 'bigint' ? `${mark}${value}` : value));
  return text.replace(marked, '$1');
}

/** The reduced form, which `only_cpu_and_memory=true` asks for: without file systems, network, process numbers and volumes. */
export function onlyCpuAndMemory({ node, pods }: Summary): Summary {
  const { nodeName, systemContainers, startTime, cpu, memory, swap } = node;
  return {
    node: { nodeName, systemContainers, startTime, cpu, memory, swap },
    pods: pods.map((pod) => {
      const { podRef, startTime, cpu, memory, swap } = pod;
      const containers = pod.containers.map(({ name, startTime, cpu, memory, swap }) => ({ name, startTime, cpu, memory, swap }));
      return { podRef, startTime, containers, cpu, memory, swap };
    }),
  };
}
