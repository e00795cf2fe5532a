import { type Pod, podLimits, Quantity, resourceRequest, type Volume } from '@nodeagent/api';

/** What eviction reads of a pod's spec, worked out once for each pod object. */
export interface PodFacts {
  /** The requests that rankings compare usage with. */
  memoryRequest: ExactAmount;
  storageRequest: ExactAmount;
  /** Volumes that lie on the node's own disk and end with the pod. */
  localVolumes: ReadonlySet<string>;
  limits: StorageLimits;
}

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

const known = new WeakMap<Pod, PodFacts>();

export function podFacts(pod: Pod): PodFacts {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const facts = readFacts(pod);
  known.set(pod, facts);
  return facts;
}

function readFacts(pod: Pod): PodFacts {
  const volumes = pod.spec?.volumes ?? [];
  const containers = new Map<string, Quantity>();
  for (const { name, resources } of pod.spec?.containers ?? []) {
    const text = resources?.limits?.['ephemeral-storage'];
    const limit = text === undefined ? Quantity.zero : Quantity.parse(text);
    if (!limit.isZero) containers.set(name, limit);
  }
  return {
    memoryRequest: exactly(resourceRequest(pod, 'memory')),
    storageRequest: exactly(resourceRequest(pod, 'ephemeral-storage')),
    localVolumes: new Set(volumes.filter(isLocal).map(({ name }) => name)),
    limits: {
      emptyDirs: volumes.flatMap(({ name, emptyDir }) => {
        const limit = emptyDir?.sizeLimit === undefined ? Quantity.zero : Quantity.parse(emptyDir.sizeLimit);
        return limit.sign > 0 ? [{ name, limit }] : [];
      }),
      pod: podLimits(pod).get('ephemeral-storage'),
      containers,
    },
  };
}

/** `gitRepo` is a kind that pods of before may still have. */
function isLocal(volume: Volume): boolean {
  const { hostPath, configMap, emptyDir, gitRepo } = volume as Volume & { gitRepo?: object };
  return Boolean(hostPath || gitRepo || configMap || (emptyDir && !emptyDir.medium));
}

function exactly(quantity: Quantity): ExactAmount {
  const rounded = quantity.value();
  const excess = Quantity.of(rounded).sub(quantity);
  return { quantity, billionths: rounded * billion - (excess.isZero ? 0n : excess.scaledValue(-9)) };
}
