import type { ObjectMeta } from './meta.js';

/** A claim of devices (`resource.k8s.io/v1`, `ResourceClaim`): the fields that a node evaluates. */
export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: object;
  status?: {
    /** The devices that the scheduler chose; absent while the claim is not allocated. */
    allocation?: {
      devices?: {
        results?: { request: string; driver: string; pool: string; device: string; shareID?: string }[];
      };
    };
    /** The consumers that may use the claim. */
    reservedFor?: { apiGroup?: string; resource: string; name: string; uid: string }[];
  };
}

/** The devices that a driver offers on a node or in a cluster (`resource.k8s.io/v1`, `ResourceSlice`): the fields that a node evaluates. */
export interface ResourceSlice {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: { driver: string; nodeName?: string };
}
