import { errorMessage, type Pod, type Volume } from '@nodeagent/api';
import { podUid, Quantity } from '@nodeagent/api/helpers';
import type { PluginRegistry } from '../plugin-registry.js';
import { seLinuxMountLabel } from '../selinux/mount-label.js';
import { usedVolumes } from '../state/pod-volumes.js';
import type { VolumeStates } from '../state/queries.js';
import { type ClaimGetters, podVolumeSpec } from './volume-spec.js';

/** Queries about the termination of pods. */
export interface PodStates {
  /** Whether the pod's containers are terminating or have terminated: the manager mounts no new volumes for it. */
  shouldPodContainersBeTerminating(podUid: string): boolean;
  /** Whether all containers of the pod have terminated: the manager unmounts its volumes. Also true for unknown pods. */
  shouldPodRuntimeBeRemoved(podUid: string): boolean;
}

export interface PopulatorOptions extends VolumeStates, ClaimGetters {
  /** The admitted pods of this node, including those that are terminating. */
  pods(): readonly Pod[];
  podStates: PodStates;
  plugins: PluginRegistry;
  /** Default SELinux label of containers' files. Default: SELinux is disabled. */
  seLinuxFileLabel?: string;
  /** Monotonic milliseconds. */
  now(): number;
}

/** Adds the volumes that pods use to the desired state. */
export interface Populator {
  /** Whether every pod was processed once. Until then terminating pods are added too, and no volume is unmounted. */
  hasAddedPods: boolean;
  /** UIDs of the processed pods; false if the pod must be processed again. */
  readonly processed: ReadonlyMap<string, boolean>;
  /** Whether a volume of a running pod could not be resolved when the pod was last processed: its mounted volumes must stay. */
  isUnresolved(podUid: string): boolean;
  /** Marks the pod to be processed again. */
  reprocess(podUid: string): void;
  /** UIDs of the pods that must be processed and are not in progress. */
  unprocessed(): string[];
  /** Processes a pod of {@link Populator.unprocessed}. Resolves to false if one of its volumes failed; never rejects. */
  process(podUid: string, signal: AbortSignal): Promise<boolean>;
  /** Removes the volumes of terminated pods from the desired state. */
  removeTerminatedPods(): void;
}

export function createPopulator(options: PopulatorOptions): Populator {
  return new PodVolumes(options);
}

class PodVolumes implements Populator {
  hasAddedPods = false;
  readonly #options: PopulatorOptions;
  readonly #processed = new Map<string, boolean>();
  /** Pods in progress; true if the pod must be processed again afterwards. */
  readonly #inProgress = new Map<string, boolean>();
  readonly #unresolved = new Set<string>();

  constructor(options: PopulatorOptions) {
    this.#options = options;
  }

  get processed(): ReadonlyMap<string, boolean> {
    return this.#processed;
  }

  isUnresolved(uid: string): boolean {
    return this.#unresolved.has(uid);
  }

  reprocess(uid: string): void {
    this.#processed.set(uid, false);
    if (this.#inProgress.has(uid)) this.#inProgress.set(uid, true);
  }

  unprocessed(): string[] {
    const uids = this.#options.pods().map(podUid);
    return uids.filter((uid) => this.#processed.get(uid) !== true && !this.#inProgress.has(uid) && !this.#isSkipped(uid));
  }

  async process(uid: string, signal: AbortSignal): Promise<boolean> {
    const { desired, actual, pods } = this.#options;
    const pod = pods().find((each) => podUid(each) === uid);
    if (pod === undefined) return true;
    const { mounts, devices } = usedVolumes(pod);
    const used = (pod.spec?.volumes ?? []).filter(({ name }) => mounts.has(name) || devices.has(name));
    this.#inProgress.set(uid, false);
    const results = await Promise.allSettled(used.map((volume) => this.#add(pod, volume, signal)));
    const isDue = this.#inProgress.get(uid) === true;
    this.#inProgress.delete(uid);

    const errors = results.flatMap((result) => (result.status === 'rejected' ? [errorMessage(result.reason)] : []));
    for (const error of errors) desired.addErrorToPod(uid, error);
    // A pod that was processed before, and failed, is processed again at its next sync.
    if (errors.length === 0 || this.#processed.has(uid)) this.#processed.set(uid, !isDue);
    if (errors.length > 0) {
      this.#unresolved.add(uid);
      return false;
    }
    this.#unresolved.delete(uid);
    actual.markRemountRequired(uid);
    desired.clearPodErrors(uid);
    return true;
  }

  removeTerminatedPods(): void {
    const { desired, actual, pods, podStates } = this.#options;
    const known = new Set(pods().map(podUid));
    for (const uid of [...desired.podUids()].filter((each) => podStates.shouldPodRuntimeBeRemoved(each))) {
      for (const volumeName of new Set(desired.volumeNamesOfPod(uid).values())) {
        // A mount for a known pod may be in flight.
        if (known.has(uid) && actual.isPodRemovedFromVolume(uid, volumeName)) continue;
        desired.deletePodFromVolume(uid, volumeName);
        this.#processed.delete(uid);
      }
    }
    for (const uid of this.#unresolved) if (podStates.shouldPodRuntimeBeRemoved(uid)) this.#unresolved.delete(uid);
    for (const uid of this.#processed.keys()) {
      if (!known.has(uid) && podStates.shouldPodRuntimeBeRemoved(uid)) this.#processed.delete(uid);
    }
    for (const uid of desired.podsWithErrors()) if (!known.has(uid)) desired.clearPodErrors(uid);
  }

  #isSkipped(uid: string): boolean {
    const { podStates } = this.#options;
    return this.hasAddedPods ? podStates.shouldPodContainersBeTerminating(uid) : podStates.shouldPodRuntimeBeRemoved(uid);
  }

  async #add(pod: Pod, volume: Volume, signal: AbortSignal): Promise<void> {
    const { desired, actual, plugins, now, seLinuxFileLabel: defaultLabel } = this.#options;
    const { spec, claim, gid } = await podVolumeSpec(pod, volume, usedVolumes(pod), this.#options, signal);
    const resolved = await plugins.resolve(spec);
    // The pod may have terminated meanwhile; a volume added now would never be removed.
    if (this.#isSkipped(podUid(pod))) return;
    const seLinuxLabel = seLinuxMountLabel({ pod, volumeName: volume.name, spec, plugin: resolved.plugin, defaultLabel });
    const volumeName = desired.addPodToVolume({ pod, resolved, outerName: volume.name, gid, seLinuxLabel, now: now() });
    // The plugin can report later that a volume is not attachable, such as after a change of the CSIDriver.
    if (!resolved.attachable) desired.markVolumeAttachability(volumeName, false);
    if (claim && !spec.readOnly) {
      desired.updatePersistentVolumeSize(volumeName, Quantity.parse(spec.persistentVolume?.spec?.capacity?.storage ?? '0'));
      actual.initializeClaimSize(volumeName, Quantity.parse(claim.status?.capacity?.storage ?? '0'));
    }
  }
}
