import type { ControllerObjects, StoredObject } from '@nodeagent/test-controllers';
import type { ApiContext } from './context.js';
import { copyJson } from './copy-json.js';
import { commitUpdate } from './operations/commit.js';
import { createObject } from './operations/create.js';
import { deleteObject } from './operations/delete.js';
import { replaceObject } from './operations/update.js';
import type { ServedResource } from './registry/resource.js';
import { cannotWait } from './requests/answers.js';
import { bindPod } from './subresources/binding.js';

/** The objects of the server as its controllers read and write them. */
export function controllerObjects(server: ApiContext): ControllerObjects {
  const context: ApiContext = { ...server, answers: cannotWait };
  const { store, registry } = context;
  /** Writes of a kind that the server does not have are ignored. */
  const write = (storage: string, operation: (definition: ServedResource) => unknown) => {
    const definition = registry.storedForm(storage);
    if (definition) operation(definition);
  };
  return {
    get: (storage, namespace, name) => store.get(storage, namespace, name),
    list: (storage, namespace) => store.list(storage, namespace),
    onChange: (listener) => store.onEvent(listener),
    hasKind: (group, kind) => registry.findByGroupKind(group, kind) !== undefined,
    namespacedStorages: () => new Set(registry.list().flatMap(({ namespaced, storage }) => (namespaced ? [storage] : []))),
    create: (storage, object, options) => write(storage, (definition) => createObject(context, definition, object, options)),
    replace: (storage, before, after, options) =>
      write(storage, (definition) => replaceObject(context, definition, before, copyJson(after), options)),
    overwrite: (storage, before, after, options) =>
      write(storage, (definition) => commitUpdate(context, definition, before, copyJson(after), { ...options, internal: true })),
    delete: (storage, object, options) => write(storage, (definition) => deleteObject(context, definition, object, options)),
    bind: (pod, nodeName, writer) => write('/pods', (definition) => bindPod(context, definition, pod, bindingTo(nodeName), writer)),
  };
}

const bindingTo = (nodeName: string): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: {},
  target: { kind: 'Node', name: nodeName },
});
