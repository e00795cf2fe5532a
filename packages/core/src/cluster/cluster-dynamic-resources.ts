import type { ObjectGetter, ResourceClaim } from '@nodeagent/api';
import type { ResourceSliceDeleter } from '@nodeagent/dra-manager';

/** The API calls of Dynamic Resource Allocation; a `KubeClient` of `@nodeagent/kube-client` implements it. */
export interface ClusterDynamicResources {
  resourceClaims: ObjectGetter<ResourceClaim>;
  resourceSlices: ResourceSliceDeleter;
}
