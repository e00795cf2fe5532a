import type { ObjectMeta } from '@nodeagent/api';

/** `v1`, `Service`: the fields from which its endpoints follow. */
export interface ServiceObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: {
    type?: string;
    selector?: Record<string, string>;
    clusterIP?: string;
    ipFamilies?: string[];
    ports?: ServicePort[];
    publishNotReadyAddresses?: boolean;
    /** `PreferClose`, `PreferSameZone` or `PreferSameNode`. */
    trafficDistribution?: string;
  };
}

export interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
  /** A number, or the name of a port of the pods' containers. Default: `port`. */
  targetPort?: number | string;
}

/** `discovery.k8s.io/v1`, `EndpointSlice`. */
export interface EndpointSlice {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  addressType: string;
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

export interface EndpointPort {
  name: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

/** Reference to the pod behind an address. */
interface TargetReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
}

export interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  /** Zones and nodes whose traffic the endpoint should get. */
  hints?: EndpointHints;
  targetRef?: TargetReference;
}

export interface EndpointHints {
  forZones?: { name: string }[];
  forNodes?: { name: string }[];
}

/** `v1`, `Endpoints`: the older form of EndpointSlices. */
export interface EndpointsObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  subsets?: EndpointSubset[];
}

export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: { name?: string; port: number; protocol?: string; appProtocol?: string }[];
}

export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: TargetReference;
}

/** A write of a controller of endpoints. */
export interface EndpointSliceWrite {
  verb: 'create' | 'update' | 'delete';
  object: EndpointSlice;
}
