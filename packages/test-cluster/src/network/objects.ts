import type { KubeObject } from '@nodeagent/api';

/** `v1`, `Service`: the fields that names and routes follow from. */
export interface Service extends KubeObject {
  spec?: {
    type?: string;
    clusterIP?: string;
    clusterIPs?: string[];
    externalName?: string;
    internalTrafficPolicy?: string;
    ports?: { name?: string; port: number }[];
  };
}

/** `discovery.k8s.io/v1`, `EndpointSlice`. */
export interface EndpointSlice extends KubeObject {
  ports?: { name?: string; port?: number }[];
  endpoints?: Endpoint[];
}

interface Endpoint {
  addresses: string[];
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  nodeName?: string;
}

/** The Services and EndpointSlices of all namespaces. */
export interface NetworkObjects {
  services: readonly Service[];
  endpointSlices: readonly EndpointSlice[];
}

export const slicesOf = ({ metadata }: Service, { endpointSlices }: NetworkObjects): EndpointSlice[] =>
  endpointSlices.filter(
    (slice) =>
      slice.metadata?.namespace === metadata?.namespace && slice.metadata?.labels?.['kubernetes.io/service-name'] === metadata?.name,
  );
