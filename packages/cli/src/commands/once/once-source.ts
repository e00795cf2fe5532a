import type { Pod, PodSource } from '@nodeagent/api';
import { oncePod } from './once-pod.js';

/** A source whose first list is the only one, so that a change of the manifest does not restart the pod. */
export interface OnceSource extends PodSource {
  /** The pods of the first list; undefined before it. */
  pods(): readonly Pod[] | undefined;
}

/** The pod of another source, with its restart policy for one run; several pods are none. */
export function createOnceSource(source: PodSource): OnceSource {
  let first: readonly Pod[] | undefined;
  const once: OnceSource = {
    name: source.name,
    onPods: undefined,
    pods: () => first,
    async start(signal) {
      source.onPods = (pods) => {
        if (first !== undefined) return;
        first = pods;
        once.onPods?.(pods.length === 1 ? pods.map(oncePod) : []);
      };
      await source.start(signal);
    },
    stop: () => source.stop(),
  };
  return once;
}
