import type { Controller } from '../controller.js';
import { type ControllerObjects, controllerManager, type Place, placeOf, type StoredChange } from '../controller-objects.js';

const annotation = 'node.alpha.kubernetes.io/ttl';

/** How long kubelets may cache Secrets and ConfigMaps, by the number of nodes; the sizes overlap, so that a size in between changes nothing. */
const steps: readonly { min: number; max: number; ttlSeconds: number }[] = [
  { min: 0, max: 100, ttlSeconds: 0 },
  { min: 90, max: 500, ttlSeconds: 15 },
  { min: 450, max: 1000, ttlSeconds: 30 },
  { min: 900, max: 2000, ttlSeconds: 60 },
  { min: 1800, max: Infinity, ttlSeconds: 300 },
];

/** The step of a cluster of this size that was at another step before. */
export function ttlStep(before: number, size: number): number {
  let step = before;
  while (size > (steps[step]?.max ?? Infinity)) step++;
  while (size < (steps[step]?.min ?? 0)) step--;
  return step;
}

/** Annotates nodes with how long they may cache Secrets and ConfigMaps: `node.alpha.kubernetes.io/ttl`. A changed size shows at their next heartbeat. */
export class NodeTtl implements Controller {
  readonly #objects: ControllerObjects;
  #nodes = 0;
  #step = 0;

  constructor(objects: ControllerObjects) {
    this.#objects = objects;
  }

  affected({ storage, type, object, previous }: StoredChange): Place[] {
    if (storage !== '/nodes') return [];
    if (type === 'DELETED') this.#nodes--;
    else if (previous === undefined) this.#nodes++;
    this.#step = ttlStep(this.#step, this.#nodes);
    return type === 'DELETED' || object.metadata.annotations?.[annotation] === this.#ttl ? [] : [placeOf(storage, object)];
  }

  reconcile({ storage, namespace, name }: Place): void {
    const node = this.#objects.get(storage, namespace, name);
    if (node === undefined || node.metadata.annotations?.[annotation] === this.#ttl) return;
    const annotations = { ...node.metadata.annotations, [annotation]: this.#ttl };
    this.#objects.overwrite(storage, node, { ...node, metadata: { ...node.metadata, annotations } }, controllerManager);
  }

  get #ttl(): string {
    return String(steps[this.#step]?.ttlSeconds);
  }
}
