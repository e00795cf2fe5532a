import type { InformerChecks, KubeObject } from '@nodeagent/api';
import type { Requester } from '../request/requester.js';
import { listAll, type Selection } from '../resources/list.js';
import { type ResourceDefinition, resourcePath } from '../resources/paths.js';
import type { InformerFactory } from '../resources/resource.js';
import { createInformer, type InformerOptions } from './informer.js';
import type { ListWatch } from './reflector.js';
import { createSharedInformers } from './shared-informers.js';

/** What all informers of a client have in common; `server` is named in errors. */
export interface InformerFactoryOptions extends Omit<InformerOptions<KubeObject>, 'source' | keyof InformerChecks> {
  server: string;
}

export function createInformerFactory(requester: Requester, { server, ...common }: InformerFactoryOptions): InformerFactory {
  const informer = <T extends KubeObject>(definition: ResourceDefinition, selection: Selection, checks: InformerChecks = {}) =>
    createInformer<T>({ source: listWatch<T>(requester, server, definition, selection), ...checks, ...common });
  const shared = createSharedInformers(common.logger);
  return {
    informer,
    sharedInformer: (definition, selection) =>
      shared.get(`${resourcePath(definition, selection)} ${JSON.stringify([selection.fieldSelector, selection.labelSelector])}`, () =>
        informer(definition, selection),
      ),
  };
}

function listWatch<T extends KubeObject>(
  requester: Requester,
  server: string,
  definition: ResourceDefinition,
  selection: Selection,
): ListWatch<T> {
  const path = resourcePath(definition, { namespace: selection.namespace });
  const { fieldSelector, labelSelector } = selection;
  return {
    server,
    resource: definition.resource,
    list: (resourceVersion, signal) => listAll<T>(requester, definition, { ...selection, resourceVersion, signal }),
    watch: ({ resourceVersion, timeoutSeconds }, signal) =>
      requester.stream({
        method: 'GET',
        path,
        query: { fieldSelector, labelSelector, watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds },
        signal,
      }),
  };
}
