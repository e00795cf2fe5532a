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

export interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef: { kind: 'Pod'; namespace: string; name: string; uid: string };
}

/** A write of the controller of EndpointSlices. */
export interface EndpointSliceWrite {
  verb: 'create' | 'update' | 'delete';
  object: EndpointSlice;
}
