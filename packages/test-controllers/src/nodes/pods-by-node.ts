import type { Pod } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import type { Place, StoredChange } from '../controller-objects.js';
import { type PodName, podKey, podNameOf } from '../pod-name.js';

/** The pods of each node, existing or not, by the events of a store; it must see them before the controllers that ask it. */
export class PodsByNode implements Controller {
  readonly #byNode = new Map<string, Map<string, PodName>>();

  /** In the order in which they were bound. */
  on(nodeName: string): PodName[] {
    return [...(this.#byNode.get(nodeName)?.values() ?? [])];
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    const pod = object as Pod;
    const nodeName = storage === '/pods' ? pod.spec?.nodeName : undefined;
    if (!nodeName) return [];
    const name = podNameOf(pod);
    const pods = this.#byNode.get(nodeName) ?? new Map<string, PodName>();
    if (type === 'DELETED') pods.delete(podKey(name));
    else if (!pods.has(podKey(name))) pods.set(podKey(name), name);
    if (pods.size > 0) this.#byNode.set(nodeName, pods);
    else this.#byNode.delete(nodeName);
    return [];
  }

  reconcile(): void {}
}
