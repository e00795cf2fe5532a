import type { Pod, ResourceClaim, ResourceClaimTemplate } from '@nodeagent/api';
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
import { isDone, namedClaims, reconcilePodClaims } from './pod-claims.js';
import { reconcileResourceClaim } from './reconcile-claim.js';

/** Where resource claims and their templates are stored. */
export const claimStorage = 'resource.k8s.io/resourceclaims';
const templateStorage = 'resource.k8s.io/resourceclaimtemplates';
const writer = { ...controllerManager, fieldManager: 'ResourceClaimController' };

/** Creates the resource claims of pods, and releases those of pods that are done. */
export class ResourceClaimController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #events: EventWriter;
  /** The pods with claims. */
  readonly #pods = new Map<string, Place>();
  /** The last message about each pod, which is reported once. */
  readonly #reported = new Map<string, string>();

  constructor({ objects, events }: { objects: ControllerObjects; events: EventWriter }) {
    this.#objects = objects;
    this.#events = events;
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage === '/pods') return this.#podChanged(object, type === 'DELETED');
    if (storage !== claimStorage && storage !== templateStorage) return [];
    const users = [...this.#pods.values()].filter(({ namespace }) => namespace === object.metadata.namespace);
    return storage === claimStorage && type !== 'DELETED' ? [placeOf(storage, object), ...users] : users;
  }

  reconcile({ storage, namespace = '', name }: Place): void {
    const object = this.#objects.get(storage, namespace, name);
    if (object === undefined) return;
    if (storage === '/pods') this.#reconcilePod(object, namespace);
    else this.#reconcileClaim(object as ResourceClaim, (podName) => this.#objects.get('/pods', namespace, podName) as Pod | undefined);
  }

  #podChanged(object: StoredObject, isDeleted: boolean): Place[] {
    const { spec, status } = object as Pod;
    const extended = status?.extendedResourceClaimStatus?.resourceClaimName;
    if (!spec?.resourceClaims?.length && !extended) return [];
    const place = placeOf('/pods', object);
    const key = placeKey(place);
    if (isDeleted) {
      this.#pods.delete(key);
      this.#reported.delete(key);
    } else this.#pods.set(key, place);
    const pod = isDeleted ? [] : [place];
    if (!isDeleted && !isDone(object as Pod)) return pod;
    const names = [...namedClaims(object as Pod).map(({ claimName }) => claimName), extended];
    const { namespace = '' } = object.metadata;
    return [...pod, ...names.flatMap((name) => (name ? [{ storage: claimStorage, namespace, name }] : []))];
  }

  #reconcilePod(pod: StoredObject, namespace: string): void {
    const all = this.#objects.list(claimStorage, namespace);
    const isOwned = ({ metadata }: StoredObject) =>
      metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid);
    const { create, statuses, reserve, problem } = reconcilePodClaims({
      pod: pod as Pod,
      claimOf: (name) => this.#objects.get(claimStorage, namespace, name) as ResourceClaim | undefined,
      owned: all.filter(isOwned) as ResourceClaim[],
      templateOf: (name) => this.#objects.get(templateStorage, namespace, name) as unknown as ResourceClaimTemplate | undefined,
    });
    for (const claim of create) this.#objects.create(claimStorage, claim as StoredObject, { ...writer, namespace });
    if (statuses) {
      const after = { ...pod, status: { ...(pod as Pod).status, resourceClaimStatuses: statuses } };
      this.#objects.overwrite('/pods', pod, after, { ...writer, subresource: 'status' });
    }
    for (const claim of reserve) this.#write(claim, 'updateStatus');
    if (problem !== undefined) this.#report(pod, problem);
  }

  #reconcileClaim(claim: ResourceClaim, podOf: (name: string) => Pod | undefined): void {
    for (const { verb, object } of reconcileResourceClaim(claim, podOf)) this.#write(object, verb);
  }

  #write(claim: ResourceClaim, verb: 'updateStatus' | 'update' | 'delete'): void {
    const { namespace, name = '' } = claim.metadata ?? {};
    const before = this.#objects.get(claimStorage, namespace, name);
    if (before === undefined) return;
    if (verb === 'delete') this.#objects.delete(claimStorage, before);
    else {
      const metadata = { ...claim.metadata, resourceVersion: before.metadata.resourceVersion };
      const subresource = verb === 'updateStatus' && { subresource: 'status' };
      this.#objects.overwrite(claimStorage, before, { ...claim, metadata } as StoredObject, { ...writer, ...subresource });
    }
  }

  #report(pod: StoredObject, message: string): void {
    const key = placeKey(placeOf('/pods', pod));
    if (this.#reported.get(key) === message) return;
    this.#reported.set(key, message);
    const event = { component: 'resource_claim', type: 'Warning', reason: 'FailedResourceClaimCreation', message } as const;
    this.#events.write(pod, event, controllerManager);
  }
}
