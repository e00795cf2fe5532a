import { equalJson, isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { rounds } from './resource-lists.js';
import { fillIn, immutable } from './workloads.js';

const at = (object: ApiObject, path: string) =>
  path.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), object);

/** The required fields. */
function required(...paths: string[]): (object: ApiObject) => KindFieldProblem[] {
  return (object) =>
    paths
      .filter((path) => [undefined, null, ''].includes(at(object, path) as never))
      .map((field) => ({ field, problem: 'Required value' }));
}

/** A kind with fixed defaults and required fields. */
function simple(defaults: Readonly<Record<string, unknown>>, ...paths: string[]): KindRules {
  const prepare = (object: ApiObject) => fillIn(object, defaults);
  return { prepareCreate: prepare, prepareUpdate: prepare, validate: required(...paths) };
}

/** Names that are valid path segments: those of RBAC and of CertificateSigningRequests. */
const pathSegment = (name: string): string[] => (/^\.{1,2}$|[/%]/.test(name) ? ["may not be '.' or '..' or contain '/' or '%'"] : []);

const roundClaim = rounds('spec.resources.requests', 'spec.resources.limits', 'status.capacity', 'status.allocatedResources');
const roundVolume = rounds('spec.capacity');

export const claimRules: KindRules = {
  applyDefaults(object) {
    fillIn(object, { spec: { volumeMode: 'Filesystem' } });
    roundClaim(object);
  },
  prepareCreate(object) {
    object.status = { phase: 'Pending' };
  },
  prepareUpdate: roundClaim,
  validate: required('spec.accessModes', 'spec.resources.requests.storage'),
};

export const volumeRules: KindRules = {
  prepareCreate(object) {
    fillIn(object, { spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' } });
    if (at(object, 'spec.hostPath')) fillIn(object, { spec: { hostPath: { type: '' } } });
    roundVolume(object);
    object.status = { phase: 'Pending' };
  },
  prepareUpdate: roundVolume,
  validate: required('spec.capacity', 'spec.accessModes'),
};

export const certificateRequestRules: KindRules = {
  nameProblems: pathSegment,
  prepareCreate(object, _context, { user }) {
    fillIn(object, { spec: {} });
    const { username, uid, groups, extra } = user;
    Object.assign(object.spec as object, { username, groups, ...(uid && { uid }), ...(extra && { extra }) });
  },
  validate: required('spec.request', 'spec.signerName', 'spec.usages'),
  validateUpdate: immutable('request', 'signerName', 'usages', 'username', 'groups', 'uid', 'extra', 'expirationSeconds'),
};

export const eventRules: KindRules = {
  validate(object) {
    const { involvedObject } = object as { involvedObject?: { namespace?: string } };
    const { namespace } = object.metadata;
    const wanted = involvedObject?.namespace || 'default';
    if (wanted === namespace) return [];
    return [
      {
        field: 'involvedObject.namespace',
        problem: `Invalid value: ${JSON.stringify(involvedObject?.namespace ?? '')}: does not match event.namespace`,
      },
    ];
  },
};

export const roleRules: KindRules = { nameProblems: pathSegment };

export const roleBindingRules: KindRules = {
  nameProblems: pathSegment,
  prepareCreate(object) {
    fillIn(object, { roleRef: { apiGroup: 'rbac.authorization.k8s.io' } });
    for (const subject of (object.subjects ?? []) as Record<string, unknown>[]) {
      subject.apiGroup ??= subject.kind === 'ServiceAccount' ? '' : 'rbac.authorization.k8s.io';
      if (subject.apiGroup === '') delete subject.apiGroup;
    }
  },
  validate: required('roleRef.kind', 'roleRef.name'),
  validateUpdate: (after, before) =>
    equalJson(after.roleRef, before.roleRef)
      ? []
      : [{ field: 'roleRef', problem: `Invalid value: ${JSON.stringify(after.roleRef)}: cannot change roleRef` }],
};

export const leaseRules: KindRules = {
  validate(object) {
    const seconds = at(object, 'spec.leaseDurationSeconds');
    if (seconds === undefined || seconds === null || (typeof seconds === 'number' && seconds > 0)) return [];
    return [{ field: 'spec.leaseDurationSeconds', problem: `Invalid value: ${JSON.stringify(seconds)}: must be greater than 0` }];
  },
};

export const nodeRules: KindRules = { keepsStatusOnCreate: true, prepareCreate: rounds('status.capacity', 'status.allocatable') };
export const storageClassRules = simple({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }, 'provisioner');
export const runtimeClassRules = simple({}, 'handler');
export const volumeAttachmentRules = simple({}, 'spec.attacher', 'spec.nodeName');
export const csiDriverRules = simple({
  spec: {
    attachRequired: true,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    podInfoOnMount: false,
    requiresRepublish: false,
    seLinuxMount: false,
    storageCapacity: false,
    volumeLifecycleModes: ['Persistent'],
  },
});
export const networkPolicyRules = simple({ spec: { policyTypes: ['Ingress'] } });
export const endpointSliceRules = simple({}, 'addressType');
