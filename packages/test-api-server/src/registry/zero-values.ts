import { isObject } from '@nodeagent/api/helpers';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';

type ZeroValue = '' | 0 | false | ZeroValues | readonly [ZeroValues];
interface ZeroValues {
  readonly [field: string]: ZeroValue;
}

const containerStatuses = [{ image: '', imageID: '', lastState: {}, name: '', ready: false, restartCount: 0, state: {} }] as const;
const nodeInfo: ZeroValues = {
  architecture: '',
  bootID: '',
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: '',
  kubeletVersion: '',
  machineID: '',
  operatingSystem: '',
  osImage: '',
  systemUUID: '',
};
const withStatus: ZeroValues = { spec: {}, status: {} };

/**
 * The fields that an API server of v1.36 writes also if they are unset, with their values, by storage; the only element of a list stands for
 * each. They are the structs of Go, which `omitempty` does not omit (clients read `status.succeeded` without a check of `status`), and the
 * scalars without `omitempty`. Not those that defaults set, or that validation does not let be empty. Lists, maps and pointers: null-fields.ts.
 */
const zeroValues: Readonly<Record<string, ZeroValues>> = {
  '/events': { involvedObject: {}, reportingComponent: '', reportingInstance: '', source: {} },
  '/limitranges': { spec: {} },
  '/namespaces': withStatus,
  '/nodes': { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo } },
  '/persistentvolumeclaims': withStatus,
  '/persistentvolumes': withStatus,
  '/pods': {
    status: {
      containerStatuses,
      initContainerStatuses: containerStatuses,
      ephemeralContainerStatuses: containerStatuses,
    },
  },
  '/replicationcontrollers': { status: { replicas: 0 } },
  '/resourcequotas': withStatus,
  '/services': { spec: {}, status: { loadBalancer: {} } },
  'admissionregistration.k8s.io/validatingadmissionpolicies': { status: {} },
  'apps/daemonsets': { status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 } },
  'apps/deployments': { status: {} },
  'apps/replicasets': { status: { replicas: 0 } },
  'apps/statefulsets': { spec: { serviceName: '' }, status: { availableReplicas: 0, replicas: 0 } },
  'autoscaling/horizontalpodautoscalers': { status: { desiredReplicas: 0 } },
  'batch/cronjobs': { spec: { jobTemplate: { metadata: {} } }, status: {} },
  'batch/jobs': { status: {} },
  'certificates.k8s.io/certificatesigningrequests': { status: {} },
  'coordination.k8s.io/leases': { spec: {} },
  'discovery.k8s.io/endpointslices': { endpoints: [{ conditions: {} }] },
  'flowcontrol.apiserver.k8s.io/flowschemas': { status: {} },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { status: {} },
  'networking.k8s.io/ingressclasses': { spec: {} },
  'networking.k8s.io/ingresses': { spec: {}, status: { loadBalancer: {} } },
  'networking.k8s.io/networkpolicies': { spec: { podSelector: {} } },
  'networking.k8s.io/servicecidrs': withStatus,
  'policy/poddisruptionbudgets': {
    spec: {},
    status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  },
  'resource.k8s.io/deviceclasses': { spec: {} },
  'resource.k8s.io/resourceclaims': { spec: { devices: {} }, status: {} },
  'resource.k8s.io/resourceclaimtemplates': { spec: { metadata: {}, spec: { devices: {} } } },
  'storage.k8s.io/volumeattachments': { spec: { source: {} }, status: { attached: false } },
};

/** Sets the fields that a real server writes although they are unset. */
export function setZeroValues(storage: string, object: ApiObject): void {
  const values = zeroValues[storage];
  if (values) fill(object, values);
}

function fill(object: Record<string, unknown>, values: ZeroValues): void {
  for (const field in values) {
    const [zero, value] = [values[field], object[field]];
    if (Array.isArray(zero)) for (const each of Array.isArray(value) ? value : []) fill(each, zero[0]);
    else if (value === undefined || value === null) object[field] = copyJson(zero);
    else if (isObject(value) && isObject(zero)) fill(value, zero);
  }
}
