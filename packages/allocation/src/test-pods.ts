import type { Container, Pod, ResourceRequirements } from '@nodeagent/api';

/** For this package's tests: a pod with one container `c` that requests CPU and memory. */
export function podWith(name: string, cpu: string, memory = '64Mi', more: Partial<Container> & { priority?: number } = {}): Pod {
  const { priority, ...container } = more;
  const resources: ResourceRequirements = { requests: { cpu, memory } };
  return {
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, generation: 1 },
    spec: { ...(priority !== undefined && { priority }), containers: [{ name: 'c', resources, ...container }] },
  };
}

/** The pod, one generation later, with other requested resources. */
export function resized(pod: Pod, resources: ResourceRequirements): Pod {
  const { metadata, spec } = pod;
  const containers = spec?.containers.map((container) => ({ ...container, resources })) ?? [];
  return { ...pod, metadata: { ...metadata, generation: (metadata?.generation ?? 0) + 1 }, spec: { ...spec, containers } };
}

export const cpu = (amount: string): ResourceRequirements => ({ requests: { cpu: amount, memory: '64Mi' } });
