import type { ApiContext } from '../context.js';
import { resourcesOf } from '../kinds/custom-resource-definition.js';
import { deleteObject } from '../operations/delete.js';

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** Serves the resources of CustomResourceDefinitions once they are created; deletes their objects with them. */
export function followDefinitions(context: ApiContext): () => void {
  const { store, registry } = context;
  return store.onEvent(({ storage, type, object, previous }) => {
    if (storage !== definitions) return;
    const before = previous ? resourcesOf(previous) : [];
    const now = resourcesOf(object);
    if (type === 'DELETED') {
      for (const definition of now.slice(0, 1)) for (const each of store.list(definition.storage)) deleteObject(context, definition, each);
    }
    for (const { group, resource } of before) registry.removeAll(group, resource);
    if (type !== 'DELETED') for (const definition of now) registry.add(definition);
  });
}
