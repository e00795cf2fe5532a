import type { Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../access/admission-request.js';
import type { ApiContext } from '../context.js';
import { copyJson } from '../copy-json.js';
import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';
import { refused } from './refuse.js';

interface RuntimeClass {
  overhead?: { podFixed?: Record<string, string> };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: object[] };
}

/** Adds the overhead and the scheduling constraints of a pod's RuntimeClass: Kubernetes documentation, "Runtime Class", "Pod Overhead". */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  mutate(request, context) {
    if (!isFor(request, 'create', '', 'pods')) return;
    const { spec } = objectOf(request) as Pod;
    const found = classOf(request, context);
    if (spec === undefined || found === undefined) return;
    const overhead = found.overhead?.podFixed;
    if (overhead) {
      if (spec.overhead && !equalJson(spec.overhead, overhead))
        throw refused(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      spec.overhead = { ...overhead };
    }
    const { nodeSelector = {}, tolerations = [] } = found.scheduling ?? {};
    const conflicts = Object.keys(nodeSelector).filter((key) => (spec.nodeSelector?.[key] ?? nodeSelector[key]) !== nodeSelector[key]);
    if (conflicts.length > 0) throw refused(request, 'conflict: runtimeClass.scheduling.nodeSelector and pod.spec.nodeSelector');
    if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
    const own = spec.tolerations ?? [];
    const added = tolerations.filter((each) => !own.some((present) => equalJson(present, each)));
    if (added.length > 0) spec.tolerations = [...own, ...copyJson(added)];
  },
  validate(request, context) {
    if (!isFor(request, 'create', '', 'pods')) return;
    const { spec } = objectOf(request) as Pod;
    if (spec?.overhead && !classOf(request, context)?.overhead)
      throw refused(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  },
};

function classOf(request: AdmissionRequest, { store }: ApiContext): RuntimeClass | undefined {
  const name = (objectOf(request) as Pod).spec?.runtimeClassName;
  if (!name) return undefined;
  const found = store.get('node.k8s.io/runtimeclasses', undefined, name);
  if (found === undefined) throw refused(request, `pod rejected: RuntimeClass "${name}" not found`);
  return found as RuntimeClass;
}
