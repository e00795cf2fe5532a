import { errorMessage, NodeAgentError, type Pod, podUid, Quantity, specName, type Volume } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import type { PluginRegistry, ResolvedVolume } from '../plugin-registry.js';
import { seLinuxMountLabel } from '../selinux/mount-label.js';
import { usedVolumes } from '../world/pod-volumes.js';
import type { Worlds } from '../world/queries.js';
import { type ClaimGetters, podVolumeSpec } from './volume-spec.js';

/** What is asked about pods. */
export interface PodStates {
  /** Whether its containers shall end, or have: it needs no new volumes. */
  shouldPodContainersBeTerminating(podUid: string): boolean;
  /** Whether nothing of it runs any more: its volumes can go. Also true for pods that nobody knows. */
  shouldPodRuntimeBeRemoved(podUid: string): boolean;
}

export interface PopulatorOptions extends Worlds, ClaimGetters {
  /** The pods that shall run here, and those that still end. */
  pods(): readonly Pod[];
  podStates: PodStates;
  plugins: PluginRegistry;
  /** The SELinux label of containers' files where nobody says otherwise. Default: SELinux is not enabled. */
  seLinuxFileLabel?: string;
  /** Monotonic milliseconds. */
  now(): number;
}

/** Brings what pods want into the desired world. */
export interface Populator {
  /** Whether all pods of the sources were looked at once: before that pods that end are added too, and nothing may be taken away. */
  hasAddedPods: boolean;
  /** UIDs of the pods that were looked at, with whether they need not be again. */
  readonly processed: ReadonlyMap<string, boolean>;
  /** Whether a volume of the pod could not be told when it was last looked at, and it has not ended: what it has must stay. */
  isUnresolved(podUid: string): boolean;
  /** The pod is to be looked at again. */
  reprocess(podUid: string): void;
  /** UIDs of the pods that are to be looked at, without those that are being looked at. */
  unprocessed(): string[];
  /** Looks at a pod that {@link Populator.unprocessed} named. Resolves to false if a volume of it failed; never rejects. */
  process(podUid: string, signal: AbortSignal): Promise<boolean>;
  /** Takes what ended pods wanted out of the desired world. */
  removeEnded(): void;
}

export function createPopulator(options: PopulatorOptions): Populator {
  const { desired, actual, pods, podStates, plugins, now } = options;
  const processed = new Map<string, boolean>();
  /** Pods that are being looked at, with whether they are to be again after that. */
  const inProgress = new Map<string, boolean>();

  const unresolved = new Set<string>();

  const isSkipped = (uid: string) =>
    populator.hasAddedPods ? podStates.shouldPodContainersBeTerminating(uid) : podStates.shouldPodRuntimeBeRemoved(uid);

  const add = async (pod: Pod, volume: Volume, signal: AbortSignal): Promise<void> => {
    const uid = podUid(pod);
    const { spec, claim, gid } = await podVolumeSpec(pod, volume, usedVolumes(pod), options, signal);
    const resolved = await plugins.resolve(spec).catch((error) => {
      throw pluginError(specName(spec), error);
    });
    // Meanwhile the pod may have gone, and nobody would take out what is added now.
    if (isSkipped(uid)) return;
    const { plugin } = resolved;
    const seLinuxLabel = seLinuxMountLabel({ pod, volumeName: volume.name, spec, plugin, defaultLabel: options.seLinuxFileLabel });
    const volumeName = desired.addPodToVolume({ pod, resolved, outerName: volume.name, gid, seLinuxLabel, now: now() });
    noteAttachability(volumeName, resolved);
    if (claim && !spec.readOnly) {
      desired.updatePersistentVolumeSize(volumeName, Quantity.parse(spec.persistentVolume?.spec?.capacity?.storage ?? '0'));
      actual.initializeClaimSize(volumeName, Quantity.parse(claim.status?.capacity?.storage ?? '0'));
    }
  };

  /** A volume of which its plugin says by now that nobody attaches it. */
  const noteAttachability = (volumeName: string, { attachable }: ResolvedVolume) => {
    if (!attachable) desired.markVolumeAttachability(volumeName, false);
  };

  const populator: Populator = {
    hasAddedPods: false,
    processed,
    isUnresolved: (uid) => unresolved.has(uid),
    reprocess(uid) {
      processed.set(uid, false);
      if (inProgress.has(uid)) inProgress.set(uid, true);
    },
    unprocessed: () =>
      pods()
        .map(podUid)
        .filter((uid) => processed.get(uid) !== true && !inProgress.has(uid) && !isSkipped(uid)),
    async process(uid, signal) {
      const pod = pods().find((each) => podUid(each) === uid);
      if (pod === undefined) return true;
      const { mounts, devices } = usedVolumes(pod);
      const used = (pod.spec?.volumes ?? []).filter(({ name }) => mounts.has(name) || devices.has(name));
      inProgress.set(uid, false);
      const results = await Promise.allSettled(used.map((volume) => add(pod, volume, signal)));
      const isDue = inProgress.get(uid) === true;
      inProgress.delete(uid);

      const errors = results.flatMap((result) => (result.status === 'rejected' ? [errorMessage(result.reason)] : []));
      for (const error of errors) desired.addErrorToPod(uid, error);
      // A pod that was looked at before, and failed, is looked at again at its next sync.
      if (errors.length === 0 || processed.has(uid)) processed.set(uid, !isDue);
      if (errors.length > 0) {
        unresolved.add(uid);
        return false;
      }
      unresolved.delete(uid);
      actual.markRemountRequired(uid);
      desired.clearPodErrors(uid);
      return true;
    },
    removeEnded() {
      const known = new Set(pods().map(podUid));
      for (const uid of [...desired.podUids()].filter((each) => podStates.shouldPodRuntimeBeRemoved(each))) {
        for (const volumeName of new Set(desired.volumeNamesOfPod(uid).values())) {
          // A mount of a pod that is known may be in flight.
          if (known.has(uid) && actual.isPodRemovedFromVolume(uid, volumeName)) continue;
          desired.deletePodFromVolume(uid, volumeName);
          processed.delete(uid);
        }
      }
      for (const uid of unresolved) if (podStates.shouldPodRuntimeBeRemoved(uid)) unresolved.delete(uid);
      for (const uid of processed.keys()) if (!known.has(uid) && podStates.shouldPodRuntimeBeRemoved(uid)) processed.delete(uid);
      for (const uid of desired.podsWithErrors()) if (!known.has(uid)) desired.clearPodErrors(uid);
    },
  };
  return populator;
}

function pluginError(name: string, error: unknown): NodeAgentError {
  return new NodeAgentError(
    volumeManagerErrorCodes.noPlugin,
    `failed to get Plugin from volumeSpec for volume "${name}" err=${errorMessage(error)}`,
    { cause: error },
  );
}
