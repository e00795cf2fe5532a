import type { Node, Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeKey,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import { reconcileEndpointSlices, serviceOfSlice, withLists } from './endpoint-slices.js';
import { hasSelector, matchingPods, selects } from './endpoints.js';
import type { EndpointSlice, EndpointSliceWrite, ServiceObject } from './objects.js';
import { cpuShares, hasTopologyMode, isOverloaded } from './topology-hints.js';
import { TriggerTimes } from './trigger-times.js';

export const services = '/services';
export const endpointSlices = 'discovery.k8s.io/endpointslices';

/** Keeps the EndpointSlices of Services with a selector. The garbage collector deletes those of deleted Services. */
export class EndpointSliceController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #events: EventWriter;
  readonly #times = new TriggerTimes();
  /** Services whose slices have hints by their annotation. */
  readonly #hinted = new Set<string>();

  constructor({ objects, events }: { objects: ControllerObjects; events: EventWriter }) {
    this.#objects = objects;
    this.#events = events;
  }

  affected(change: StoredChange): Place[] {
    const { storage, type, object } = change;
    const { namespace = '' } = object.metadata;
    if (storage === services) return [placeOf(services, object)];
    if (storage === '/pods') return servicesOfPod(this.#objects, change);
    if (storage === '/nodes') return this.#servicesOfNode(change);
    const name = storage === endpointSlices ? serviceOfSlice(object) : undefined;
    return name === undefined || (type === 'ADDED' && this.#objects.get(services, namespace, name) === undefined)
      ? []
      : [{ storage: services, namespace, name }];
  }

  reconcile(place: Place): void {
    const { namespace = '', name } = place;
    const objects = this.#objects;
    const stored = objects.get(services, namespace, name);
    if (stored === undefined) {
      this.#times.delete(place);
      this.#hinted.delete(placeKey(place));
      return;
    }
    const service = stored as unknown as ServiceObject;
    const pods = objects.list('/pods', namespace) as Pod[];
    const triggerTime = this.#times.of(service, matchingPods(service, pods));
    const { writes, events, isHinted } = reconcileEndpointSlices({
      service,
      pods,
      nodes: objects.list('/nodes') as Node[],
      slices: objects.list(endpointSlices, namespace) as unknown as EndpointSlice[],
      wasHinted: this.#hinted.has(placeKey(place)),
      ...(triggerTime && { triggerTime }),
    });
    if (isHinted) this.#hinted.add(placeKey(place));
    else this.#hinted.delete(placeKey(place));
    writeSlices(objects, namespace, writes);
    for (const event of events) this.#events.write(stored, { component: 'endpoint-slice-controller', ...event }, controllerManager);
  }

  /** Services with a pod on a new node, and those whose hints do not fit the changed CPU of the zones. */
  #servicesOfNode({ type, object, previous }: StoredChange): Place[] {
    const all = this.#objects.list(services) as unknown as ServiceObject[];
    const placed = (found: readonly ServiceObject[]) => found.map((each) => placeOf(services, each as unknown as StoredObject));
    if (previous === undefined && type === 'ADDED') {
      const pods = (this.#objects.list('/pods') as Pod[]).filter(({ spec }) => spec?.nodeName === object.metadata.name);
      return placed(all.filter((service) => hasSelector(service) && pods.some((pod) => isOf(service, pod))));
    }
    if (type === 'MODIFIED' && equalJson(topologyOf(object), topologyOf(previous))) return [];
    const hinted = all.filter(hasTopologyMode);
    const shares = hinted.length > 0 ? cpuShares(this.#objects.list('/nodes') as Node[]) : undefined;
    const slicesOf = ({ metadata: { namespace, name } }: ServiceObject) =>
      (this.#objects.list(endpointSlices, namespace) as unknown as EndpointSlice[])
        .filter((slice) => serviceOfSlice(slice) === name)
        .map(withLists);
    return placed(hinted.filter((service) => isOverloaded(slicesOf(service), shares)));
  }
}

/** What of a node the hints depend on. */
function topologyOf(node: StoredObject | undefined) {
  const { metadata, status } = (node ?? {}) as Node;
  return [metadata?.labels ?? {}, status?.allocatable?.cpu ?? '', status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? ''];
}

/** The Services that select a changed pod, or selected it before. */
export function servicesOfPod(objects: ControllerObjects, { object, previous }: StoredChange): Place[] {
  return objects
    .list(services, object.metadata.namespace)
    .filter((each) => [object, previous].some((pod) => pod && isOf(each as unknown as ServiceObject, pod as Pod)))
    .map((each) => placeOf(services, each));
}

/** Performs the writes of EndpointSlices of a namespace. */
export function writeSlices(objects: ControllerObjects, namespace: string, writes: readonly EndpointSliceWrite[]): void {
  for (const { verb, object } of writes) {
    const content = object as unknown as StoredObject;
    const before = objects.get(endpointSlices, namespace, content.metadata.name ?? '');
    if (verb === 'create') objects.create(endpointSlices, content, { ...controllerManager, namespace });
    else if (before && verb === 'delete') objects.delete(endpointSlices, before);
    else if (before) objects.replace(endpointSlices, before, content, controllerManager);
  }
}

const isOf = (service: ServiceObject, { metadata }: Pick<Pod, 'metadata'>): boolean =>
  hasSelector(service) && service.metadata.namespace === metadata?.namespace && selects(service, metadata?.labels);
