import { type Pod, podLimits, Quantity, resourceRequest, volumeDiskUse } from '@nodeagent/api';

/** An amount whose comparison with a whole number costs one subtraction. */
export interface ExactAmount {
  quantity: Quantity;
  billionths: bigint;
}

/** How much of the node's disk the pod may use. Limits of zero are none, except for the pod's own. */
export interface StorageLimits {
  /** In the order of the spec. */
  emptyDirs: readonly { name: string; limit: Quantity }[];
  pod: Quantity | undefined;
  /** By the name of a regular container. */
  containers: ReadonlyMap<string, Quantity>;
}

export const billion = 1_000_000_000n;

/** What pods request, as rankings compare usage with it. */
export const memoryRequest = oncePerPod((pod) => exactly(resourceRequest(pod, 'memory')));
export const storageRequest = oncePerPod((pod) => exactly(resourceRequest(pod, 'ephemeral-storage')));

/** Names of the pod's volumes that lie on the node's own disk, those of the node (`hostPath`) too. */
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

/** Pods are never changed once received, so what is read of one pod object stays true. */
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
  const whole = quantity.asInt64();
  if (whole !== undefined) return { quantity, billionths: whole * billion };
  const rounded = quantity.value();
  const excess = Quantity.of(rounded).sub(quantity);
  return { quantity, billionths: rounded * billion - (excess.isZero ? 0n : excess.scaledValue(-9)) };
}
