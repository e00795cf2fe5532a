import type { ControllerObjects, StoredObject } from '@nodeagent/test-controllers';
import type { ApiContext } from './context.js';
import { copyJson } from './copy-json.js';
import { commitUpdate } from './operations/commit.js';
import { createObject } from './operations/create.js';
import { deleteObject } from './operations/delete.js';
import { replaceObject } from './operations/update.js';
import type { ServedResource } from './registry/resource.js';
import { withAnswers } from './requests/answers.js';
import { AnswerNeeded } from './requests/known-answers.js';
import { loadModule } from './requests/module-loads.js';
import { bindPod } from './subresources/binding.js';
import { scaleTarget } from './subresources/scale-target.js';

type Operation<T = unknown> = (context: ApiContext, definition: ServedResource) => T;

/** The objects of the server as its controllers read and write them. */
export function controllerObjects(context: ApiContext): ControllerObjects {
  const { store, registry, logger } = context;
  const resumed: (() => void)[] = [];
  let waiting = 0;
  const ended = () => {
    waiting--;
    if (waiting === 0) for (const resume of resumed) resume();
  };
  /** Runs a write again once a webhook has answered. */
  const finish = async (operation: Operation, definition: ServedResource) => {
    waiting++;
    try {
      await withAnswers(context, (current) => operation(current, definition));
    } catch (error) {
      logger.warn({ err: error, kind: definition.kind }, 'write of a controller failed');
    }
    ended();
  };
  /** Writes of a kind that the server does not have are ignored. */
  const write = <T>(storage: string, operation: Operation<T>): T | undefined => {
    const definition = registry.storedForm(storage);
    if (definition === undefined) return undefined;
    try {
      return operation(context, definition);
    } catch (error) {
      if (!(error instanceof AnswerNeeded)) throw error;
      void finish(operation, definition);
      return undefined;
    }
  };
  return {
    get: (storage, namespace, name) => store.get(storage, namespace, name),
    list: (storage, namespace) => store.list(storage, namespace),
    onChange(listener) {
      for (const [storage, object] of store.entries()) listener({ type: 'ADDED', storage, object });
      return store.onEvent(listener);
    },
    isWaiting: () => waiting > 0,
    onResume: (listener) => void resumed.push(listener),
    async load(load) {
      waiting++;
      await loadModule(load).finally(ended);
    },
    hasKind: (group, kind) => registry.findByGroupKind(group, kind) !== undefined,
    namespacedStorages: () => new Set(registry.list().flatMap(({ namespaced, storage }) => (namespaced ? [storage] : []))),
    create: (storage, object, options) => write(storage, (current, definition) => createObject(current, definition, object, options)),
    replace: (storage, before, after, options) =>
      write(storage, (current, definition) => replaceObject(current, definition, before, copyJson(after), options)),
    overwrite: (storage, before, after, options) =>
      write(storage, (current, definition) => commitUpdate(current, definition, before, copyJson(after), { ...options, internal: true })),
    scale: (target, namespace) => scaleTarget(context, target, namespace, write),
    delete: (storage, object, { user = 'system:kube-controller-manager', ...options } = {}) =>
      write(storage, (current, definition) => deleteObject(current, definition, object, options, user)),
    bind: (pod, nodeName, writer) =>
      write('/pods', (current, definition) => bindPod(current, definition, pod, bindingTo(nodeName), writer)),
  };
}

const bindingTo = (nodeName: string): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: {},
  target: { kind: 'Node', name: nodeName },
});
