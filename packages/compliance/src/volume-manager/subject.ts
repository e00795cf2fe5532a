import type {
  AttachingVolumeManager,
  GroupingVolumeManager,
  Pod,
  ReconcilingVolumeManager,
  VolumeManager,
  VolumeStatsSource,
} from '@nodeagent/api';
import type { Advance } from '../support/waiting.js';

/** A volume manager with the capabilities that it has. */
export type AnyVolumeManager = VolumeManager &
  Partial<ReconcilingVolumeManager & AttachingVolumeManager & GroupingVolumeManager & VolumeStatsSource>;

/** A volume manager under test, and the node and the pods that it works with. */
export interface VolumeManagerSubject {
  /** Created, not started. */
  manager: AnyVolumeManager;
  /** A pod whose container mounts volumes of these names, that nothing else than the manager has to prepare; it is not yet added. */
  pod(uid: string, volumes: readonly string[]): Pod;
  /** The agent takes the pod up: from now on its volumes are wanted. */
  add(pod: Pod): unknown;
  /** The pod's containers have stopped for good. */
  end(pod: Pod): unknown;
  /** The names of the pod's volumes that are mounted on the node, whatever the manager says of them; each as often as it is mounted. */
  mounted(podUid: string): readonly string[];
  /** Makes mounting fail, or succeed again. The capability `failures` needs it. */
  setFailing?(isFailing: boolean): unknown;
  /** A pod with a volume for whose attachment the node has no room. The capability `attachmentLimit` needs it. */
  beyondLimit?: Pod;
  /** The manager after a crash of the agent: a new one, not started, on the same node. The capability `restart` needs it. */
  restart?(): AnyVolumeManager;
  /** A pod with one volume that is attached to the node, and the name that the Node has for it. `AttachingVolumeManager` needs it. */
  attachable?: { pod: Pod; volumeName: string };
  /** A pod with a volume that asks for groups, one of which the pod has, and the others. `GroupingVolumeManager` needs it. */
  grouped?: { pod: Pod; extraGroups: readonly number[] };
  /** A pod with volumes, of which these can be measured, in the order of its `volumes`. `VolumeStatsSource` needs it. */
  measurable?: { pod: Pod; ephemeral: readonly string[]; persistent: readonly string[] };
  /** Lets time pass: waits with a real clock, moves a virtual one. */
  advance: Advance;
  /** Waits for volumes end within this time. Default 200 s, of which a virtual clock needs none. */
  waitsWithinMs?: number;
}

/** Parts of the contract that a volume manager may lack: capabilities by the names of their interfaces, and what a subject does not bring. */
export type VolumeManagerCapability =
  | 'ReconcilingVolumeManager'
  | 'AttachingVolumeManager'
  | 'GroupingVolumeManager'
  | 'VolumeStatsSource'
  | 'attachmentLimit'
  | 'failures'
  | 'restart';
