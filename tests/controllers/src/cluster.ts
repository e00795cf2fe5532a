/** An object of any kind, as JSON. */
export interface AnyObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    generateName?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    ownerReferences?: { kind: string; name: string; uid: string; controller?: boolean; blockOwnerDeletion?: boolean }[];
    deletionTimestamp?: string;
    [field: string]: unknown;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the objects of all kinds
  [field: string]: any;
}

/** The answer to a request. */
export interface Answer {
  code: number;
  /** An object, a list or a Status. */
  // biome-ignore lint/suspicious/noExplicitAny: the objects of all kinds
  body: any;
}

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  path: string;
  body?: unknown;
  /** Default `application/json`; of a PATCH `application/merge-patch+json`. */
  contentType?: string;
}

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';
export type Listener = (type: ChangeType, object: AnyObject) => void;

/** A cluster without nodes: an API server with its controllers, and its time. */
export interface Cluster {
  request(request: Request): Promise<Answer>;
  /** Reports all objects of a list and their changes. Resolves once the watch is open. */
  watch(path: string, listener: Listener): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Ends all watches. */
  close(): void;
}

/** The kinds of the scenarios: group and version, plural, and whether they have a namespace. */
const kinds: Readonly<Record<string, readonly [groupVersion: string, plural: string, isClusterScoped?: true]>> = {
  Pod: ['v1', 'pods'],
  Event: ['v1', 'events'],
  Service: ['v1', 'services'],
  ReplicationController: ['v1', 'replicationcontrollers'],
  ServiceAccount: ['v1', 'serviceaccounts'],
  ConfigMap: ['v1', 'configmaps'],
  Secret: ['v1', 'secrets'],
  ResourceQuota: ['v1', 'resourcequotas'],
  PersistentVolumeClaim: ['v1', 'persistentvolumeclaims'],
  PersistentVolume: ['v1', 'persistentvolumes', true],
  Node: ['v1', 'nodes', true],
  Namespace: ['v1', 'namespaces', true],
  Endpoints: ['v1', 'endpoints'],
  Deployment: ['apps/v1', 'deployments'],
  ReplicaSet: ['apps/v1', 'replicasets'],
  StatefulSet: ['apps/v1', 'statefulsets'],
  DaemonSet: ['apps/v1', 'daemonsets'],
  ControllerRevision: ['apps/v1', 'controllerrevisions'],
  Job: ['batch/v1', 'jobs'],
  CronJob: ['batch/v1', 'cronjobs'],
  PodDisruptionBudget: ['policy/v1', 'poddisruptionbudgets'],
  EndpointSlice: ['discovery.k8s.io/v1', 'endpointslices'],
  Lease: ['coordination.k8s.io/v1', 'leases'],
  PriorityClass: ['scheduling.k8s.io/v1', 'priorityclasses', true],
  StorageClass: ['storage.k8s.io/v1', 'storageclasses', true],
};

/** The path of the objects of a kind, or of one. */
export function pathOf(kind: string, namespace?: string, name?: string, subresource?: string): string {
  const [groupVersion, plural, isClusterScoped] = kinds[kind] ?? raise(`unknown kind ${kind}`);
  const parts = [
    groupVersion.includes('/') ? '/apis' : '/api',
    groupVersion,
    ...(namespace && !isClusterScoped ? ['namespaces', namespace] : []),
    plural,
    ...(name ? [name] : []),
    ...(subresource ? [subresource] : []),
  ];
  return parts.join('/');
}

export const apiVersionOf = (kind: string): string => kinds[kind]?.[0] ?? raise(`unknown kind ${kind}`);

function raise(message: string): never {
  throw new Error(message);
}

/** The body of an answer, which must be a success. */
export async function succeed(cluster: Pick<Cluster, 'request'>, request: Request): Promise<AnyObject> {
  const { code, body } = await cluster.request(request);
  if (code >= 300) throw new Error(`${request.method} ${request.path}: ${code} ${body?.message}`);
  return body;
}
