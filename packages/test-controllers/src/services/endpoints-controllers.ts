import type { Pod } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import { endpointSlices, services, servicesOfPod, writeSlices } from './endpoint-slice-controller.js';
import { serviceOfSlice } from './endpoint-slices.js';
import { matchingPods } from './endpoints.js';
import { reconcileEndpoints } from './endpoints-object.js';
import { isMirror, mirrorEndpoints } from './mirror-endpoints.js';
import type { EndpointSlice, EndpointsObject, ServiceObject } from './objects.js';
import { TriggerTimes } from './trigger-times.js';

const endpoints = '/endpoints';

/** The API server keeps the Endpoints of its Service itself. */
const isOfServer = ({ namespace, name }: Place): boolean => namespace === 'default' && name === 'kubernetes';

/** Keeps the Endpoints of Services with a selector, and deletes those of deleted Services. */
export class EndpointsController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #times = new TriggerTimes();

  constructor(objects: ControllerObjects) {
    this.#objects = objects;
  }

  affected(change: StoredChange): Place[] {
    const { storage, type, object } = change;
    if (storage === '/pods') return servicesOfPod(this.#objects, change);
    const isCause = storage === services || (storage === endpoints && type === 'DELETED');
    return isCause && !isOfServer(placeOf(services, object)) ? [placeOf(services, object)] : [];
  }

  reconcile(place: Place): void {
    const { namespace = '', name } = place;
    const stored = this.#objects.get(services, namespace, name);
    const before = this.#objects.get(endpoints, namespace, name);
    if (stored === undefined) {
      this.#times.delete(place);
      if (before) this.#objects.delete(endpoints, before);
      return;
    }
    const service = stored as unknown as ServiceObject;
    const pods = this.#objects.list('/pods', namespace) as Pod[];
    const triggerTime = this.#times.of(service, matchingPods(service, pods));
    const after = reconcileEndpoints({ service, pods, triggerTime, before: before as unknown as EndpointsObject | undefined });
    if (after === undefined) return;
    const content = after as unknown as StoredObject;
    if (before) this.#objects.replace(endpoints, before, content, controllerManager);
    else this.#objects.create(endpoints, content, { ...controllerManager, namespace });
  }
}

/** Keeps the EndpointSlices of Endpoints that a user wrote. */
export class EndpointsMirror implements Controller {
  readonly #objects: ControllerObjects;
  readonly #events: EventWriter;

  constructor({ objects, events }: { objects: ControllerObjects; events: EventWriter }) {
    this.#objects = objects;
    this.#events = events;
  }

  affected({ storage, object }: StoredChange): Place[] {
    if (storage === endpoints || storage === services) return [placeOf(endpoints, object)];
    const name = storage === endpointSlices && isMirror(object) ? serviceOfSlice(object) : undefined;
    return name === undefined ? [] : [{ storage: endpoints, namespace: object.metadata.namespace ?? '', name }];
  }

  reconcile({ namespace = '', name }: Place): void {
    const stored = this.#objects.get(endpoints, namespace, name);
    const { writes, events } = mirrorEndpoints({
      name,
      endpoints: stored as unknown as EndpointsObject | undefined,
      service: this.#objects.get(services, namespace, name) as unknown as ServiceObject | undefined,
      slices: this.#objects.list(endpointSlices, namespace) as unknown as EndpointSlice[],
    });
    writeSlices(this.#objects, namespace, writes);
    const component = 'endpoint-slice-mirroring-controller';
    for (const event of events) this.#events.write(stored ?? {}, { component, ...event }, controllerManager);
  }
}
