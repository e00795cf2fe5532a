import {
  type AllocationManager,
  type ImageManager,
  invalidOption,
  type PodLifecycleEventGenerator,
  type PodSource,
  type PodWorkers,
  type ProbeManager,
  type Runtime,
  type StatsProvider,
  type StatusManager,
  type StatusSink,
  type VolumeManager,
  type VolumePlugin,
} from '@nodeagent/api';
import type { ContainerManager } from '@nodeagent/container-manager';

/** A contract by its name in `@nodeagent/api`, and its required members. */
interface Contract {
  readonly name: string;
  readonly members: readonly string[];
}

/** The names of the required members of a contract. */
type RequiredNameOf<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? never : Name }[keyof T] & string;

type WordsOf<Text extends string> = Text extends `${infer Word} ${infer Others}` ? Word | WordsOf<Others> : Text;

/** What a list of members lacks, and what it has too much; unknown if it is right. */
type Difference<Wanted, Given> = [Exclude<Wanted, Given>, Exclude<Given, Wanted>] extends [never, never]
  ? unknown
  : { readonly missing: Exclude<Wanted, Given>; readonly excess: Exclude<Given, Wanted> };

/** The contract `T` with its required members: a list with other ones does not compile. */
const contract =
  <T>(name: string) =>
  <const Text extends string>(members: Text & Difference<RequiredNameOf<T>, WordsOf<Text>>): Contract => ({
    name,
    members: members.split(' '),
  });

/** The contracts of parts by their names, of each part of a list, and that of volume plugins. */
export const contracts = {
  statusManager: contract<StatusManager>('StatusManager')(
    'start stop getPodStatus setPodStatus setContainerReadiness setContainerStartup terminatePod removeOrphanedStatuses setPodReadyToStartContainers onStatus',
  ),
  pleg: contract<PodLifecycleEventGenerator>('PodLifecycleEventGenerator')(
    'start stop events unhealthyReason requestRelist requestReinspect relist',
  ),
  podWorkers: contract<PodWorkers>('PodWorkers')(
    'updatePod syncKnownPods isPodKnownTerminated couldHaveRunningContainers shouldPodBeFinished isPodTerminationRequested shouldPodContainersBeTerminating shouldPodRuntimeBeRemoved shouldPodContentBeRemoved isPodForMirrorPodTerminatingByFullName killPodNow state explain stop',
  ),
  imageManager: contract<ImageManager>('ImageManager')('start ensureImageExists pulls collectBackOff pruneUnknownRecords'),
  allocation: contract<AllocationManager>('AllocationManager')(
    'start stop addPod updatePodFromAllocation pushPendingResize isResizeUndecided retryPendingResizes pendingResizes resizeConditions removePod removeOrphanedPods',
  ),
  containerManager: contract<ContainerManager>('ContainerManager')('start stop isEnabled updateQosCgroups pods'),
  runtime: contract<Runtime>('Runtime')(
    'runtimeName checkRuntime status getPods getPod getPodStatus syncPod killPod garbageCollect collectBackOff',
  ),
  volumeManager: contract<VolumeManager>('VolumeManager')(
    'waitForAttachAndMount waitForUnmount getMountedVolumesForPod hasPossiblyMountedVolumesForPod',
  ),
  volumePlugin: contract<VolumePlugin>('VolumePlugin')(
    'name canSupport volumeName requiresRemount supportsMountOption mounter unmounter constructVolumeSpec',
  ),
  probeManager: contract<ProbeManager>('ProbeManager')(
    'results updates view addPod probeNow stopLivenessAndStartup removePod cleanupPods stop',
  ),
  stats: contract<StatsProvider>('StatsProvider')('summary containerMetrics resourceMetrics'),
  statusSink: contract<StatusSink>('StatusSink')('start stop statusChanged'),
  sources: contract<PodSource>('PodSource')('start stop name'),
};

/** Throws `InvalidOption` naming the option and the missing members unless the part, or each part of a list, implements the contract. */
export function requireContract(option: string, part: object, { name, members }: Contract): void {
  const parts = Array.isArray(part) ? part.map((item, index) => [`${option}[${index}]`, item] as const) : [[option, part] as const];
  for (const [path, each] of parts) {
    const missing = members.filter((member) => !(member in each));
    if (missing.length > 0) throw invalidOption(path, `a ${name}, with ${missing.join(', ')}`, each);
  }
}
