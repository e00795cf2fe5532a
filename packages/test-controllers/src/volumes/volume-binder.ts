import type { Clock, Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
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
import { selectedNode } from './annotations.js';
import { reconcileClaim, reconcileVolume } from './bind-claim.js';
import { className } from './match-volume.js';
import type { VolumeWrite } from './objects.js';

const claims = '/persistentvolumeclaims';
const volumes = '/persistentvolumes';
const classes = 'storage.k8s.io/storageclasses';
const component = 'persistentvolume-controller';

/** Binds claims to volumes, provisions and expands volumes, and deletes those of deleted claims. */
export class VolumeBinder implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #events: EventWriter;
  /** The last message about each claim, which is reported once. */
  readonly #reported = new Map<string, string>();

  constructor({ objects, clock, events }: { objects: ControllerObjects; clock: Clock; events: EventWriter }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#events = events;
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage === classes) return this.#pendingClaims();
    if (storage === volumes) {
      const { namespace = '', name } = (object as PersistentVolume).spec?.claimRef ?? {};
      const claim = name ? [{ storage: claims, namespace, name }] : this.#pendingClaims();
      return type === 'DELETED' ? claim : [placeOf(volumes, object), ...claim];
    }
    if (storage !== claims) return [];
    const place = placeOf(claims, object);
    const { volumeName } = (object as PersistentVolumeClaim).spec ?? {};
    if (type === 'DELETED') this.#reported.delete(placeKey(place));
    return [...(type === 'DELETED' ? [] : [place]), ...(volumeName ? [{ storage: volumes, name: volumeName }] : [])];
  }

  reconcile(place: Place): void {
    const object = this.#objects.get(place.storage, place.namespace, place.name);
    if (object === undefined) return;
    if (place.storage === claims) this.#reconcileClaim(place, object);
    else {
      const { namespace, name = '' } = (object as PersistentVolume).spec?.claimRef ?? {};
      const claim = this.#objects.get(claims, namespace, name) as PersistentVolumeClaim | undefined;
      this.#write(reconcileVolume(object as PersistentVolume, claim, formatTime(this.#clock.now())));
    }
  }

  #pendingClaims(): Place[] {
    const pending = this.#objects.list(claims).filter((claim) => !(claim as PersistentVolumeClaim).spec?.volumeName);
    return pending.map((claim) => placeOf(claims, claim));
  }

  #reconcileClaim(place: Place, object: StoredObject): void {
    const claim = object as PersistentVolumeClaim;
    const storageClass = this.#objects.get(classes, undefined, className(claim)) as unknown as StorageClass | undefined;
    const node = this.#nodeOf(claim);
    const { writes, events } = reconcileClaim({
      claim,
      volumes: this.#objects.list(volumes) as PersistentVolume[],
      ...(storageClass && { storageClass }),
      ...(node && { node }),
    });
    this.#write(writes);
    for (const event of events) {
      const key = placeKey(place);
      if (this.#reported.get(key) === event.message) continue;
      this.#reported.set(key, event.message);
      this.#events.write(claim, { component, ...event }, controllerManager);
    }
  }

  /** The node that the scheduler selected. */
  #nodeOf({ metadata }: PersistentVolumeClaim): Node | undefined {
    const name = metadata?.annotations?.[selectedNode];
    return name === undefined ? undefined : (this.#objects.get('/nodes', undefined, name) as Node | undefined);
  }

  #write(writes: readonly VolumeWrite[]): void {
    for (const { verb, object } of writes) {
      const content = object as StoredObject;
      const storage = object.kind === 'PersistentVolume' ? volumes : claims;
      const { namespace, name = '' } = content.metadata;
      const before = this.#objects.get(storage, namespace, name);
      const subresource = verb === 'updateStatus' && { subresource: 'status' };
      if (verb === 'create') this.#objects.create(storage, content, { ...controllerManager, namespace: '' });
      else if (before && verb === 'delete') this.#objects.delete(storage, before);
      else if (before) this.#objects.overwrite(storage, before, content, { ...controllerManager, ...subresource });
    }
  }
}
