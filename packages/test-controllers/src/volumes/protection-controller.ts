import type { PersistentVolume, Pod } from '@nodeagent/api';
import { volumeClaimName } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';

const claims = '/persistentvolumeclaims';
const volumes = '/persistentvolumes';
const finalizers: Readonly<Record<string, string>> = { [claims]: 'kubernetes.io/pvc-protection', [volumes]: 'kubernetes.io/pv-protection' };

/**
 * Lets claims be removed once no pod on a node uses them, and volumes once they are not bound: Kubernetes documentation, "Storage Object in Use
 * Protection".
 */
export class ProtectionController implements Controller {
  readonly #objects: ControllerObjects;

  constructor(objects: ControllerObjects) {
    this.#objects = objects;
  }

  affected({ type, storage, object }: StoredChange): Place[] {
    if (storage === '/pods') return type === 'DELETED' ? this.#claimsOf(object) : [];
    return finalizers[storage] && type !== 'DELETED' && object.metadata.deletionTimestamp ? [placeOf(storage, object)] : [];
  }

  reconcile({ storage, namespace, name }: Place): void {
    const object = this.#objects.get(storage, namespace, name);
    const finalizer = finalizers[storage] as string;
    if (!object?.metadata.deletionTimestamp || !object.metadata.finalizers?.includes(finalizer)) return;
    if (storage === claims ? this.#isUsed(object) : (object as PersistentVolume).status?.phase === 'Bound') return;
    const rest = object.metadata.finalizers.filter((each) => each !== finalizer);
    const { finalizers: _all, ...metadata } = object.metadata;
    const after = { ...object, metadata: { ...metadata, ...(rest.length > 0 && { finalizers: rest }) } };
    this.#objects.overwrite(storage, object, after, controllerManager);
  }

  #claimsOf(pod: StoredObject): Place[] {
    const { namespace = '' } = pod.metadata;
    return claimNames(pod).map((name) => ({ storage: claims, namespace, name }));
  }

  #isUsed({ metadata: { namespace, name = '' } }: StoredObject): boolean {
    return this.#objects.list('/pods', namespace).some((pod) => (pod as Pod).spec?.nodeName && claimNames(pod).includes(name));
  }
}

function claimNames(pod: StoredObject): string[] {
  return ((pod as Pod).spec?.volumes ?? []).flatMap((volume) => volumeClaimName(pod as Pod, volume) ?? []);
}
