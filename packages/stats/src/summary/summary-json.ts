import type { Summary } from '@nodeagent/api';

/** Marks a string as an exact integer; no name in Kubernetes contains this character. */
const mark = '\u0000';
const marked = /"\\u0000(-?\d+)"/g;

/** The Summary API's JSON. Its uint64 values are exact numbers, which `JSON.stringify` cannot write. */
export function summaryJson(summary: Summary): string {
  const text = JSON.stringify(summary, (_key, value: unknown) => (typeof value === 'bigint' ? `${mark}${value}` : value));
  return text.replace(marked, '$1');
}

/** The reduced form, for `only_cpu_and_memory=true`: without file systems, network, process numbers and volumes. */
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
