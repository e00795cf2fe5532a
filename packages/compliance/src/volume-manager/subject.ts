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

/** A volume manager under test, with its node and pods. */
export interface VolumeManagerSubject {
  /** Created, not started. */
  manager: AnyVolumeManager;
  /** A pod, not added yet, whose container mounts volumes with these names; the volumes need no preparation outside the manager. */
  pod(uid: string, volumes: readonly string[]): Pod;
  /** Adds the pod: from now on its volumes are in the desired state. */
  add(pod: Pod): unknown;
  /** Marks the pod as terminated: its containers will not run again. */
  end(pod: Pod): unknown;
  /** The names of the pod's volumes that are mounted on the node, independent of the manager's report; once per mount. */
  mounted(podUid: string): readonly string[];
  /** Makes mounting fail, or succeed again. Required for the capability `failures`. */
  setFailing?(isFailing: boolean): unknown;
  /** A pod with a volume beyond the node's attachment limit. Required for the capability `attachmentLimit`. */
  beyondLimit?: Pod;
  /** The manager after a crash of the agent: a new one, not started, on the same node. Required for the capability `restart`. */
  restart?(): AnyVolumeManager;
  /** A pod with one attached volume, and its name in the Node's status. Required for `AttachingVolumeManager`. */
  attachable?: { pod: Pod; volumeName: string };
  /** A pod with a volume that needs groups, one of which the pod has, and the other groups. Required for `GroupingVolumeManager`. */
  grouped?: { pod: Pod; extraGroups: readonly number[] };
  /** A pod with volumes, and those that can be measured, in the order of its `volumes`. Required for `VolumeStatsSource`. */
  measurable?: { pod: Pod; ephemeral: readonly string[]; persistent: readonly string[] };
  /** Advances the clock: waits with a real clock, advances a virtual one. */
  advance: Advance;
  /** Maximum duration of a wait for volumes, in milliseconds. Default 200 s. */
  waitsWithinMs?: number;
}

/** Optional capabilities of a volume manager, by the names of their interfaces, and optional features of a subject. */
export type VolumeManagerCapability =
  | 'ReconcilingVolumeManager'
  | 'AttachingVolumeManager'
  | 'GroupingVolumeManager'
  | 'VolumeStatsSource'
  | 'attachmentLimit'
  | 'failures'
  | 'restart';
