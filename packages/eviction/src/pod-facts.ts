import type { Pod, QuantityText } from '@nodeagent/api';
import { podLimits, Quantity, resourceRequest, volumeDiskUse } from '@nodeagent/api/helpers';

/** An amount prepared for cheap comparison with integers. */
export interface ExactAmount {
  text: QuantityText;
  billionths: bigint;
}

/** The pod's local storage limits. A limit of zero counts as unset, except the pod-level one. */
export interface StorageLimits {
  /** In the order of the spec. */
  emptyDirs: readonly { name: string; limit: Quantity }[];
  pod: Quantity | undefined;
  /** By the name of a regular container. */
  containers: ReadonlyMap<string, Quantity>;
}

export const billion = 1_000_000_000n;

/** A pod's memory request, with which the ranking compares usage. */
export const memoryRequest = oncePerPod((pod) => exactly(resourceRequest(pod, 'memory')));
export const storageRequest = oncePerPod((pod) => exactly(resourceRequest(pod, 'ephemeral-storage')));

/** Names of the pod's volumes on the node's disk, including `hostPath`. */
export const localVolumes = oncePerPod(
  (pod) => new Set(pod.spec?.volumes?.filter((volume) => volumeDiskUse(volume) !== 'none').map(({ name }) => name)),
);

export const storageLimits = oncePerPod((pod): StorageLimits => {
  const containers = new Map<string, Quantity>();
  for (const { name, resources } of pod.spec?.containers ?? []) {
    const limit = amountOf(resources?.limits?.['ephemeral-storage']);
    if (!limit.isZero) containers.set(name, limit);
  }
  const emptyDirs = (pod.spec?.volumes ?? [])
    .map(({ name, emptyDir }) => ({ name, limit: amountOf(emptyDir?.sizeLimit) }))
    .filter(({ limit }) => limit.sign > 0);
  return { emptyDirs, pod: podLimits(pod).get('ephemeral-storage'), containers };
});

/** Caches a value per pod object, because received pods are immutable. */
function oncePerPod<T extends object>(read: (pod: Pod) => T): (pod: Pod) => T {
  const known = new WeakMap<Pod, T>();
  return (pod) => {
    const before = known.get(pod);
    if (before !== undefined) return before;
    const value = read(pod);
    known.set(pod, value);
    return value;
  };
}

function amountOf(text: string | undefined): Quantity {
  return text === undefined ? Quantity.zero : Quantity.parse(text);
}

function exactly(quantity: Quantity): ExactAmount {
  const text = quantity.toString();
  const whole = quantity.asInt64();
  if (whole !== undefined) return { text, billionths: whole * billion };
  const rounded = quantity.value();
  const excess = Quantity.of(rounded).sub(quantity);
  return { text, billionths: rounded * billion - (excess.isZero ? 0n : excess.scaledValue(-9)) };
}
