import type {
  ApiCallOptions,
  CertificateSigningRequest,
  ConfigMap,
  CSIDriver,
  CSINode,
  Event,
  KubeObject,
  Lease,
  Namespace,
  Node,
  ObjectCreator,
  ObjectKey,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceClaim,
  ResourceSlice,
  RuntimeClass,
  Secret,
  Service,
  ServiceAccount,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  VolumeAttachment,
} from '@nodeagent/api';
import { parseObject } from '../request/api-response.js';
import type { Requester, RequesterCall } from '../request/requester.js';
import { type ResourceDefinition, resourcePath } from './paths.js';
import type { KubeResource } from './resource.js';

/** The kinds that a node agent works with. */
export interface KubeKinds {
  readonly pods: KubeResource<Pod>;
  readonly nodes: KubeResource<Node>;
  readonly namespaces: KubeResource<Namespace>;
  readonly events: KubeResource<Event>;
  readonly secrets: KubeResource<Secret>;
  readonly configMaps: KubeResource<ConfigMap>;
  readonly services: KubeResource<Service>;
  readonly persistentVolumes: KubeResource<PersistentVolume>;
  readonly persistentVolumeClaims: KubeResource<PersistentVolumeClaim>;
  readonly leases: KubeResource<Lease>;
  readonly volumeAttachments: KubeResource<VolumeAttachment>;
  readonly csiNodes: KubeResource<CSINode>;
  readonly csiDrivers: KubeResource<CSIDriver>;
  readonly certificateSigningRequests: KubeResource<CertificateSigningRequest>;
  readonly runtimeClasses: KubeResource<RuntimeClass>;
  readonly resourceClaims: KubeResource<ResourceClaim>;
  readonly resourceSlices: KubeResource<ResourceSlice>;
  readonly serviceAccounts: KubeResource<ServiceAccount> & {
    /** Creates a token of the service account (`TokenRequest`). */
    createToken(key: ObjectKey, request: TokenRequest, options?: ApiCallOptions): Promise<TokenRequest>;
  };
  /** Authenticates a token. */
  readonly tokenReviews: ObjectCreator<TokenReview>;
  /** Checks whether a user is authorized for an action. */
  readonly subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
}

const core = (resource: string, namespaced = true): ResourceDefinition => ({ group: '', version: 'v1', resource, namespaced });
const cluster = (group: string, resource: string): ResourceDefinition => ({ group, version: 'v1', resource, namespaced: false });

/** Creates the kinds above with `resource`, which makes the calls of any kind. */
export function createKinds(
  resource: <T extends KubeObject>(definition: ResourceDefinition) => KubeResource<T>,
  requester: Requester,
): KubeKinds {
  const serviceAccounts = core('serviceaccounts');
  return {
    pods: resource(core('pods')),
    nodes: resource(core('nodes', false)),
    namespaces: resource(core('namespaces', false)),
    events: resource(core('events')),
    secrets: resource(core('secrets')),
    configMaps: resource(core('configmaps')),
    services: resource(core('services')),
    persistentVolumes: resource(core('persistentvolumes', false)),
    persistentVolumeClaims: resource(core('persistentvolumeclaims')),
    leases: resource({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespaced: true }),
    volumeAttachments: resource(cluster('storage.k8s.io', 'volumeattachments')),
    csiNodes: resource(cluster('storage.k8s.io', 'csinodes')),
    csiDrivers: resource(cluster('storage.k8s.io', 'csidrivers')),
    certificateSigningRequests: resource(cluster('certificates.k8s.io', 'certificatesigningrequests')),
    runtimeClasses: resource(cluster('node.k8s.io', 'runtimeclasses')),
    resourceClaims: resource({ group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims', namespaced: true }),
    resourceSlices: resource(cluster('resource.k8s.io', 'resourceslices')),
    serviceAccounts: {
      ...resource<ServiceAccount>(serviceAccounts),
      async createToken(key, request, { signal } = {}) {
        const path = resourcePath(serviceAccounts, { ...key, subresource: 'token' });
        const call: RequesterCall = { method: 'POST', path, body: JSON.stringify(request), signal };
        const answer: object = parseObject(call, await requester.text(call));
        return answer as TokenRequest;
      },
    },
    tokenReviews: resource(cluster('authentication.k8s.io', 'tokenreviews')),
    subjectAccessReviews: resource(cluster('authorization.k8s.io', 'subjectaccessreviews')),
  };
}
