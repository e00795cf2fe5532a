import type { Node, Pod, PodStatus } from '@nodeagent/api';
import { type ControllerObjects, controllerManager, type StoredObject } from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import type { ClusterStore } from './cluster-store.js';

/** The store of the node controllers, over a server's objects. Writes about objects that no longer exist have no effect. */
export function storedCluster(objects: ControllerObjects, events: EventWriter): ClusterStore {
  const find = (storage: '/nodes' | '/pods', namespace: string | undefined, name: string) => objects.get(storage, namespace, name);
  const change = (storage: '/nodes' | '/pods', before: StoredObject | undefined, part: Partial<StoredObject>, subresource?: string) => {
    if (before === undefined) return;
    objects.overwrite(storage, before, { ...before, ...part }, { ...controllerManager, ...(subresource && { subresource }) });
  };
  const current = ({ metadata }: Pod) => find('/pods', metadata?.namespace, metadata?.name ?? '');
  return {
    node: (name) => find('/nodes', undefined, name) as Node | undefined,
    pod: (namespace, name) => find('/pods', namespace, name) as Pod | undefined,
    setTaints(nodeName, taints) {
      const node = find('/nodes', undefined, nodeName);
      const { taints: _, ...spec } = (node as Node | undefined)?.spec ?? {};
      change('/nodes', node, { spec: { ...spec, ...(taints.length > 0 && { taints: [...taints] }) } });
    },
    setNodeConditions(nodeName, conditions) {
      const node = find('/nodes', undefined, nodeName);
      change('/nodes', node, { status: { ...(node?.status as Node['status']), conditions: [...conditions] } }, 'status');
    },
    setPodStatus: (pod, status: PodStatus) => change('/pods', current(pod), { status }, 'status'),
    deletePod(pod, options) {
      const stored = current(pod);
      if (stored) objects.delete('/pods', stored, options);
    },
    record: (about, event) => events.write(about, event, controllerManager),
  };
}
