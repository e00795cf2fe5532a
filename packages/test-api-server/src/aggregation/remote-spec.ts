import type { ApiObject } from '../objects.js';

/** The kind APIService in the store. */
export const apiServices = 'apiregistration.k8s.io/apiservices';

/** The spec of an APIService that another server answers. */
export interface RemoteSpec {
  group: string;
  version: string;
  groupPriorityMinimum?: number;
  service: { namespace: string; name: string; port?: number };
  caBundle?: string;
  insecureSkipTLSVerify?: boolean;
}

export const remoteSpecOf = ({ spec }: ApiObject): RemoteSpec | undefined =>
  (spec as RemoteSpec).service ? (spec as RemoteSpec) : undefined;
