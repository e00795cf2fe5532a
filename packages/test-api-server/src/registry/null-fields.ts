import { isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';

const containerTimes = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].flatMap((list) =>
  ['state', 'lastState'].flatMap((state) =>
    ['running.startedAt', 'terminated.startedAt', 'terminated.finishedAt'].map((time) => `status.${list}[].${state}.${time}`),
  ),
);
const conditionTimes = (...times: string[]) => times.map((time) => `status.conditions[].${time}`);
const rules = ['rules', 'rules[].verbs'];

/**
 * The fields that an API server of v1.36 writes as null, by storage; `[]` stands for each element of a list, `?` for an
 * object that may be absent (a pointer in Go). They are the lists, maps
 * and pointers whose field in Go has no `omitempty`, and times (`metav1.Time`, `metav1.MicroTime`) without `omitzero`, which `omitempty`
 * does not omit. Protobuf in etcd does not distinguish empty from absent lists, so both are null. Exceptions:
 * `items` of lists, which the server makes `[]`; `metadata.creationTimestamp`, which has had `omitzero` since v1.34, in templates and
 * bookmarks too; fields that validation does not let be empty (nodeSelectorTerms, ...), but for those that a bookmark shows.
 */
const nullFields: Readonly<Record<string, readonly string[]>> = {
  '/pods': ['spec.containers', ...conditionTimes('lastProbeTime', 'lastTransitionTime'), ...containerTimes],
  '/nodes': ['status.images[].names', ...conditionTimes('lastHeartbeatTime', 'lastTransitionTime')],
  '/namespaces': conditionTimes('lastTransitionTime'),
  '/persistentvolumeclaims': conditionTimes('lastProbeTime', 'lastTransitionTime'),
  '/replicationcontrollers': conditionTimes('lastTransitionTime'),
  '/services': conditionTimes('lastTransitionTime'),
  '/limitranges': ['spec.limits'],
  '/events': ['eventTime', 'firstTimestamp', 'lastTimestamp'],
  'apps/daemonsets': conditionTimes('lastTransitionTime'),
  'apps/deployments': conditionTimes('lastTransitionTime', 'lastUpdateTime'),
  'apps/replicasets': conditionTimes('lastTransitionTime'),
  'apps/statefulsets': conditionTimes('lastTransitionTime'),
  'autoscaling/horizontalpodautoscalers': ['status.currentMetrics', ...conditionTimes('lastTransitionTime')],
  'batch/jobs': conditionTimes('lastProbeTime', 'lastTransitionTime'),
  'certificates.k8s.io/certificatesigningrequests': conditionTimes('lastTransitionTime', 'lastUpdateTime'),
  'discovery.k8s.io/endpointslices': ['endpoints', 'endpoints[].addresses', 'ports'],
  'rbac.authorization.k8s.io/clusterroles': rules,
  'rbac.authorization.k8s.io/roles': rules,
  'storage.k8s.io/csinodes': ['spec.drivers', 'spec.drivers[].topologyKeys'],
  'storage.k8s.io/volumeattachments': ['status.attachError?.time', 'status.detachError?.time'],
};

/** One name of a path. */
interface PathPart {
  field: string;
  /** Whether an object may be without it. */
  isOptional: boolean;
}

const partOf = (name: string): PathPart => ({ field: name.replace(/\[\]$|\?$/, ''), isOptional: /[\]?]$/.test(name) });
const pathsOf = new Map(Object.entries(nullFields).map(([storage, paths]) => [storage, paths.map((path) => path.split('.').map(partOf))]));

/** Sets the fields of this object to null that a real server writes as null. */
export function setNullFields(storage: string, object: ApiObject): void {
  for (const path of pathsOf.get(storage) ?? []) setNull(object, path, 0);
}

/** The null fields of an empty object of the storage, which bookmarks have beside the metadata. */
export function nullFieldsOfEmpty(storage: string): Record<string, unknown> {
  const empty: Record<string, unknown> = {};
  for (const path of pathsOf.get(storage) ?? []) if (!path.some(({ isOptional }) => isOptional)) setAt(empty, path);
  return empty;
}

function setNull(value: unknown, path: readonly PathPart[], at: number): void {
  if (!isObject(value)) return;
  const { field } = path[at] as PathPart;
  const child = value[field];
  if (at === path.length - 1) {
    if (child === undefined || (Array.isArray(child) && child.length === 0)) value[field] = null;
  } else if (Array.isArray(child)) for (const each of child) setNull(each, path, at + 1);
  else setNull(child, path, at + 1);
}

function setAt(object: Record<string, unknown>, [first, ...rest]: readonly PathPart[]): void {
  const { field } = first as PathPart;
  if (rest.length === 0) object[field] = null;
  else {
    const child = isObject(object[field]) ? object[field] : {};
    object[field] = child;
    setAt(child, rest);
  }
}
