/**
 * Ranks workloads as the kubelet ranks pods for eviction when memory runs low, without a cluster and without a container runtime.
 *
 *     node_modules/.bin/tsx examples/evict-without-kubernetes/main.ts
 */
import { rankForMemory } from '@nodeagent/eviction/decisions';

const workloads = [
  { name: 'web', priority: 100, requestMiB: 512, usedMiB: 400 },
  { name: 'cache', priority: 0, requestMiB: 256, usedMiB: 900 },
  { name: 'batch', priority: 0, requestMiB: 64, usedMiB: 300 },
];
const pods = workloads.map(({ name, priority, requestMiB, usedMiB }) => {
  const resources = { requests: { memory: `${requestMiB}Mi` } };
  return { name, requestMiB, usedMiB, spec: { priority, containers: [{ name: 'main', image: name, resources }] } };
});

const ranked = rankForMemory(pods, ({ usedMiB }) => ({ memory: { workingSetBytes: usedMiB * 1024 ** 2 } }));
for (const [place, { pod }] of ranked.entries()) {
  console.log(`${place === 0 ? 'evict first' : 'then'}: ${pod.name} (uses ${pod.usedMiB} MiB, requests ${pod.requestMiB} MiB)`);
}
