import type { Container, VolumeMount } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';

/** A request for a safe path for a volume mount with a `subPath`: symbolic links in the volume must not lead outside it. */
export interface SubPathRequest {
  pod: Pod;
  container: Container;
  mount: VolumeMount;
  /** Position in the container's `volumeMounts`. */
  mountIndex: number;
  /** The volume on the node. */
  volumePath: string;
  /** The path inside the volume with variables expanded: relative, without `..`. */
  subPath: string;
}
