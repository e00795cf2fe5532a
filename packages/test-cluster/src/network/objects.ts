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

/** `discovery.k8s.io/v1`, `EndpointSlice`. A stored one has null for an empty list. */
export interface EndpointSlice extends KubeObject {
  ports?: { name?: string; port?: number }[] | null;
  endpoints?: Endpoint[] | null;
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

/** The endpoints and ports of each EndpointSlice of a Service. */
export const slicesOf = ({ metadata }: Service, { endpointSlices }: NetworkObjects) =>
  endpointSlices
    .filter(
      (slice) =>
        slice.metadata?.namespace === metadata?.namespace && slice.metadata?.labels?.['kubernetes.io/service-name'] === metadata?.name,
    )
    .map(({ endpoints, ports }) => ({ endpoints: endpoints ?? [], ports: ports ?? [] }));
