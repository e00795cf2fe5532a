import type { Pod, Toleration } from '@nodeagent/api';
import { type AdmissionPlugin, isFor } from './plugin.js';

/** How long a pod stays on a node that is not ready or unreachable, in seconds. */
const defaultSeconds = 300;

/** Tolerates the taints of nodes that are not ready or unreachable for five minutes. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    const { spec } = (request.object ?? {}) as Pod;
    if (spec === undefined || !(isFor(request, 'create', '', 'pods') || isFor(request, 'update', '', 'pods'))) return;
    for (const taint of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
      const isTolerated = ({ key, effect }: Toleration) => (key === taint || !key) && (effect === 'NoExecute' || !effect);
      if (spec.tolerations?.some(isTolerated)) continue;
      const toleration = { key: taint, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: defaultSeconds };
      spec.tolerations = [...(spec.tolerations ?? []), toleration];
    }
  },
};
