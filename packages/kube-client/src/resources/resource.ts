import {
  type ApiCallOptions,
  type InformerChecks,
  type InformerSource,
  type KubeObject,
  NodeAgentError,
  type ObjectCreator,
  type ObjectDeleter,
  type ObjectGetter,
  type ObjectPatcher,
  type ObjectUpdater,
  objectKey,
  type PatchType,
} from '@nodeagent/api';
import { kubeClientErrorCodes } from '../errors.js';
import type { KubeInformer } from '../informer/contracts.js';
import { parseObject } from '../request/api-response.js';
import type { Requester, RequesterCall } from '../request/requester.js';
import { listAll, type ObjectList, type Selection } from './list.js';
import { type ResourceDefinition, type ResourceTarget, resourcePath } from './paths.js';

export interface ListOptions extends Selection, ApiCallOptions {
  /** `'0'` allows any version in the API server's watch cache. Default: the newest. */
  resourceVersion?: string;
}

/** The objects of one kind. */
export interface KubeResource<T extends KubeObject>
  extends ObjectGetter<T>,
    ObjectCreator<T>,
    ObjectUpdater<T>,
    ObjectPatcher<T>,
    ObjectDeleter,
    InformerSource<T> {
  /** Lists all selected objects, in pages of 500. */
  list(options?: ListOptions): Promise<ObjectList<T>>;
  /** Deletes all selected objects with one request. Rejects if it did not reach the API server: some may be deleted. */
  deleteCollection(selection?: Selection & ApiCallOptions): Promise<void>;
  /** Creates an informer with a separate cache; see `sharedInformer`. */
  informer(selection?: Selection, checks?: InformerChecks): KubeInformer<T>;
  /**
   * Like `informer`, but all informers of the same selection share one cache and one watch, which runs while at least one of them
   * is started. Each reports all objects from its start on.
   */
  sharedInformer(selection?: Selection): KubeInformer<T>;
}

/** Makes the informers of a resource. */
export interface InformerFactory {
  informer<T extends KubeObject>(definition: ResourceDefinition, selection: Selection, checks?: InformerChecks): KubeInformer<T>;
  sharedInformer<T extends KubeObject>(definition: ResourceDefinition, selection: Selection): KubeInformer<T>;
}

const patchTypes: Readonly<Record<PatchType, string>> = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The calls for one kind of objects. */
export function createResource<T extends KubeObject>(
  definition: ResourceDefinition,
  { requester, informers }: { requester: Requester; informers: InformerFactory },
): KubeResource<T> {
  const call = async (request: RequesterCall): Promise<T> => {
    const answer: object = parseObject(request, await requester.text(request));
    return answer as T;
  };
  const path = (target: ResourceTarget) => resourcePath(definition, target);

  return {
    async get(key, { signal, resourceVersion } = {}) {
      return call({ method: 'GET', path: path(key), query: { resourceVersion }, signal });
    },
    async create(object, { signal } = {}) {
      const namespace = object.metadata?.namespace;
      if (definition.namespaced && namespace === undefined) throw withoutNamespace(definition);
      return call({ method: 'POST', path: path({ namespace }), body: JSON.stringify(object), signal });
    },
    async update(object, { signal, subresource } = {}) {
      const target = { ...objectKey(object), subresource };
      return call({ method: 'PUT', path: path(target), body: JSON.stringify(object), signal });
    },
    async patch(key, patch, { signal, subresource, type = 'strategic', fieldManager, force } = {}) {
      return call({
        method: 'PATCH',
        path: path({ ...key, subresource }),
        query: { fieldManager, force },
        body: JSON.stringify(patch),
        contentType: patchTypes[type],
        signal,
      });
    },
    async delete(key, { signal, gracePeriodSeconds, preconditions } = {}) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds, preconditions });
      await requester.text({ method: 'DELETE', path: path(key), body, signal });
    },
    async deleteCollection({ namespace, fieldSelector, labelSelector, signal } = {}) {
      const request = { method: 'DELETE', path: path({ namespace }), query: { fieldSelector, labelSelector } };
      await requester.text({ ...request, signal });
    },
    list: (options = {}) => listAll<T>(requester, definition, options),
    informer: (selection = {}, checks = {}) => informers.informer<T>(definition, selection, checks),
    sharedInformer: (selection = {}) => informers.sharedInformer<T>(definition, selection),
  };
}

function withoutNamespace({ resource }: ResourceDefinition): NodeAgentError {
  return new NodeAgentError(kubeClientErrorCodes.invalidName, `${resource}: metadata.namespace is missing`, {
    details: { field: 'metadata.namespace' },
  });
}
