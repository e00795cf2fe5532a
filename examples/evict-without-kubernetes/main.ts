/**
 * Ranks workloads as the kubelet ranks pods for eviction when memory runs low, without a cluster and without a container runtime.
 *
 *     node_modules/.bin/tsx examples/evict-without-kubernetes/main.ts
 */
import type { Pod, PodStats } from '@nodeagent/api';
import { rankForMemory } from '@nodeagent/eviction/decisions';

const workloads = [
  { name: 'web', priority: 100, requestMiB: 512, usedMiB: 400 },
  { name: 'cache', priority: 0, requestMiB: 256, usedMiB: 900 },
  { name: 'batch', priority: 0, requestMiB: 64, usedMiB: 300 },
];

const pods = workloads.map(({ name, priority, requestMiB }): Pod => {
  const resources = { requests: { memory: `${requestMiB}Mi` } };
  return { metadata: { name, uid: name }, spec: { priority, containers: [{ name: 'main', image: name, resources }] } };
});

const time = new Date().toISOString();
function statsOf({ metadata }: Pod): PodStats | undefined {
  const workload = workloads.find(({ name }) => name === metadata?.name);
  if (workload === undefined) return undefined;
  const memory = { time, workingSetBytes: BigInt(workload.usedMiB) * 1024n * 1024n };
  return { podRef: { name: workload.name, namespace: 'default', uid: workload.name }, startTime: time, containers: [], memory };
}

for (const [place, { pod, usage = 0, request }] of rankForMemory(pods, statsOf).entries()) {
  const used = `${usage / 1024 / 1024}Mi`;
  console.log(`${place === 0 ? 'evict first' : 'then'}: ${pod.metadata?.name} (uses ${used}, requests ${request})`);
}
