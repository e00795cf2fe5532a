import type { Node, Pod } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import { reconcileEndpointSlices, serviceOfSlice } from './endpoint-slices.js';
import { hasSelector, selects } from './endpoints.js';
import type { EndpointSlice, ServiceObject } from './objects.js';

const services = '/services';
const endpointSlices = 'discovery.k8s.io/endpointslices';

/** Keeps the EndpointSlices of Services with a selector. The garbage collector deletes those of deleted Services. */
export class EndpointSliceController implements Controller {
  readonly #objects: ControllerObjects;

  constructor(objects: ControllerObjects) {
    this.#objects = objects;
  }

  affected({ storage, type, object, previous }: StoredChange): Place[] {
    const { namespace = '' } = object.metadata;
    if (storage === services) return type === 'DELETED' ? [] : [placeOf(services, object)];
    if (storage === '/pods') {
      return this.#objects
        .list(services, namespace)
        .filter((each) => isOf(each as unknown as ServiceObject, object) || (previous && isOf(each as unknown as ServiceObject, previous)))
        .map((each) => placeOf(services, each));
    }
    const name = storage === endpointSlices ? serviceOfSlice(object) : undefined;
    return name === undefined ? [] : [{ storage: services, namespace, name }];
  }

  reconcile({ namespace = '', name }: Place): void {
    const objects = this.#objects;
    const service = objects.get(services, namespace, name);
    if (service === undefined) return;
    const writes = reconcileEndpointSlices({
      service: service as unknown as ServiceObject,
      pods: objects.list('/pods', namespace) as Pod[],
      nodes: objects.list('/nodes') as Node[],
      slices: objects.list(endpointSlices, namespace) as unknown as EndpointSlice[],
    });
    for (const { verb, object } of writes) {
      const content = object as unknown as StoredObject;
      const before = objects.get(endpointSlices, namespace, content.metadata.name ?? '');
      if (before === undefined) objects.create(endpointSlices, content, { ...controllerManager, namespace });
      else if (verb === 'delete') objects.delete(endpointSlices, before);
      else objects.replace(endpointSlices, before, content, controllerManager);
    }
  }
}

const isOf = (service: ServiceObject, { metadata }: StoredObject) => hasSelector(service) && selects(service, metadata.labels);
