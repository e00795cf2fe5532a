import type { Container, Pod, ResourceList } from '@nodeagent/api';
import type { LimitRangeItem } from './limit-range.js';

const annotation = 'kubernetes.io/limit-ranger';

/** Gives the containers of a pod the default requests and limits of a LimitRange, and notes them in an annotation. Changes the pod. */
export function setDefaultResources(pod: Pod, items: readonly LimitRangeItem[]): void {
  const defaults = { requests: {}, limits: {} } as Record<'requests' | 'limits', ResourceList>;
  for (const item of items) {
    if (item.type !== 'Container') continue;
    Object.assign(defaults.requests, item.defaultRequest);
    Object.assign(defaults.limits, item.default);
  }
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const notes = [
    ...containers.flatMap((container) => completed(container, defaults, 'container')),
    ...initContainers.flatMap((container) => completed(container, defaults, 'init container')),
  ];
  if (notes.length === 0) return;
  pod.metadata = {
    ...pod.metadata,
    annotations: { ...pod.metadata?.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` },
  };
}

function completed(container: Container, defaults: Record<'requests' | 'limits', ResourceList>, what: string): string[] {
  return (['requests', 'limits'] as const).flatMap((field) => {
    const own = container.resources?.[field] ?? {};
    const missing = Object.keys(defaults[field])
      .filter((resource) => own[resource] === undefined)
      .sort();
    if (missing.length === 0) return [];
    const added = Object.fromEntries(missing.map((resource) => [resource, defaults[field][resource] as string]));
    container.resources = { ...container.resources, [field]: { ...own, ...added } };
    return [`${missing.join(', ')} ${field.slice(0, -1)} for ${what} ${container.name}`];
  });
}
