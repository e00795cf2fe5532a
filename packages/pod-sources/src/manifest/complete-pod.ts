import type { Pod } from '@nodeagent/api';
import { applyApiDefaults } from './defaults.js';
import { stableDigest } from './digest.js';

/** Where a pod comes from that may lack what an API server fills in. */
export interface PodOrigin {
  /** Name of the source. */
  source: string;
  /** The node whose source it is. */
  nodeName: string;
}

/**
 * The pod as an API server would have stored it and bound it to the node: with the defaults of the API, a namespace, a UID and the node's name. The UID follows from the source and
 * from what the pod says, so that an edit of a pod without one replaces the pod. The given pod stays as it is. Throws for amounts of
 * resources that are none.
 */
export function completePod(pod: Pod, { source, nodeName }: PodOrigin): Pod {
  const complete = structuredClone(pod);
  applyApiDefaults(complete);
  if (complete.spec) complete.spec.nodeName ||= nodeName;
  const { namespace, uid, ...metadata } = complete.metadata ?? {};
  complete.metadata = {
    ...metadata,
    namespace: namespace || 'default',
    uid: uid || stableDigest({ metadata, namespace, spec: pod.spec }, `source:${source}`),
  };
  return complete;
}

/** {@link completePod} that completes a pod once, however often a source lists it: the same object again means an unchanged pod. */
export function createPodCompleter(origin: PodOrigin): (pod: Pod) => Pod {
  const completed = new WeakMap<Pod, Pod>();
  return (pod) => {
    const known = completed.get(pod);
    if (known !== undefined) return known;
    const complete = completePod(pod, origin);
    completed.set(pod, complete);
    return complete;
  };
}
