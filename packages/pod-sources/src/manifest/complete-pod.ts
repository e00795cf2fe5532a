import type { Pod } from '@nodeagent/api';
import { applyApiDefaults } from './defaults.js';
import { stableDigest } from './digest.js';

/** The source of a pod that was not stored by an API server. */
export interface PodOrigin {
  /** Name of the source. */
  source: string;
  /** The node of the source. */
  nodeName: string;
}

/**
 * The pod as the API server would store and bind it: with the API's defaults, a namespace, a UID and the node's name. A generated UID
 * depends on the source and the pod's content, so that editing a pod without a UID replaces it. Does not change the given pod. Throws for
 * invalid quantities.
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

/** A cached {@link completePod}: returns the same object for an unchanged pod. */
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
