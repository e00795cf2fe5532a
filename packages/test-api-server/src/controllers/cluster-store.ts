import type { Node, Pod, PodStatus } from '@nodeagent/api';
import type { ApiContext, WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ClusterStore } from '../node-lifecycle/cluster-store.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { deleteObject } from '../operations/delete.js';
import type { EventWriter } from './event-writer.js';

const writer: WriteOptions = { user: { username: 'system:kube-controller-manager' }, fieldManager: 'kube-controller-manager' };

/** The store of the node controllers, over the server's. Writes about objects that no longer exist have no effect. */
export function clusterStore(context: ApiContext, events: EventWriter): ClusterStore {
  const { store, registry } = context;
  const find = (storage: '/nodes' | '/pods', namespace: string | undefined, name: string) => store.get(storage, namespace, name);
  const change = (storage: '/nodes' | '/pods', before: ApiObject | undefined, part: Partial<ApiObject>, subresource?: string) => {
    const definition = registry.storedForm(storage);
    if (before === undefined || definition === undefined) return;
    const after = { ...copyJson(before), ...part };
    commitUpdate(context, definition, before, after, { ...writer, internal: true, ...(subresource && { subresource }) });
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
      const definition = registry.storedForm('/pods');
      const stored = current(pod);
      if (definition && stored) deleteObject(context, definition, stored, options);
    },
    record: (about, event) => events.write(about, event, writer),
  };
}
