import type { Pod, PodSpec } from '@nodeagent/api';
import type { AdmissionRequest } from '../access/admission-request.js';
import type { ApiObject } from '../objects.js';
import type { ObjectStore } from '../store/object-store.js';
import { type AdmissionPlugin, beforeOf, isFor, objectOf } from './plugin.js';
import { refused } from './refuse.js';

const classes = 'scheduling.k8s.io/priorityclasses';

/** Computes the priority of pods by their PriorityClass: Kubernetes documentation, "Pod Priority and Preemption". */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  mutate(request, { store }) {
    if (isFor(request, 'create', '', 'pods')) setPriority(request, (objectOf(request) as Pod).spec, store);
    if (isFor(request, 'update', '', 'pods')) keepPriority((objectOf(request) as Pod).spec, (beforeOf(request) as Pod).spec);
  },
  validate(request, { store }) {
    if (
      !isFor(request, 'create', 'scheduling.k8s.io', 'priorityclasses') &&
      !isFor(request, 'update', 'scheduling.k8s.io', 'priorityclasses')
    )
      return;
    if (objectOf(request).globalDefault !== true) return;
    const other = store.list(classes).find(({ globalDefault, metadata }) => globalDefault === true && metadata.name !== request.name);
    if (other) throw refused(request, `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`);
  },
};

function setPriority(request: AdmissionRequest, spec: PodSpec | undefined, store: ObjectStore): void {
  if (spec === undefined) return;
  const name = spec.priorityClassName;
  const found = name ? store.get(classes, undefined, name) : defaultClass(store.list(classes));
  if (name && found === undefined) throw refused(request, `no PriorityClass with name ${name} was found`);
  if (!name && found) spec.priorityClassName = found.metadata.name as string;
  const value = (found?.value as number | undefined) ?? 0;
  const policy = (found?.preemptionPolicy as string | undefined) ?? 'PreemptLowerPriority';
  const refuse = (what: string, sent: number | string, computed: number | string) => {
    const rule = `must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
    return refused(request, `the ${what} (${sent}) ${rule}`);
  };
  if (spec.priority !== undefined && spec.priority !== value) throw refuse('integer value of priority', spec.priority, value);
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse('string value of PreemptionPolicy', spec.preemptionPolicy, policy);
  spec.priority = value;
  spec.preemptionPolicy = policy;
}

/** Of several default classes, that with the lowest value. */
function defaultClass(all: readonly ApiObject[]): ApiObject | undefined {
  const defaults = all.filter(({ globalDefault }) => globalDefault === true);
  return defaults.sort((a, b) => (a.value as number) - (b.value as number))[0];
}

function keepPriority(spec: PodSpec | undefined, before: PodSpec | undefined): void {
  if (spec === undefined || before === undefined) return;
  if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
  if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined) spec.preemptionPolicy = before.preemptionPolicy;
}
