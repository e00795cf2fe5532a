import type { Pod, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { Quantity, specName } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import {
  type ActualState,
  createActualState,
  createDesiredState,
  createPluginRegistry,
  createReconciler,
  createWaiters,
  type DesiredState,
  describePodVolumeState,
  expectedVolumes,
  extraSupplementalGroups,
  mountedVolumesOfPod,
  type PodMountFacts,
  type ResolvedVolume,
  type VolumeOperation,
  volumesInUse,
  waitUntilMounted,
  waitUntilUnmounted,
} from '@nodeagent/volume-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

interface RecordedVolume {
  id: string;
  plugin: string;
  kind: 'pod' | 'persistent';
  specName: string;
  handle?: string;
  capacity?: string;
  emptyDirSizeLimit?: string;
  attachable: boolean;
  deviceMountable: boolean;
  requiresRemount: boolean;
  nodeExpandable: boolean;
  readOnly: boolean;
}

function specOf({ kind, specName: name, capacity, plugin, emptyDirSizeLimit, readOnly }: RecordedVolume): VolumeSpec {
  if (kind === 'persistent') {
    return { persistentVolume: { metadata: { name }, spec: { ...(capacity && { capacity: { storage: capacity } }) } }, readOnly };
  }
  const emptyDir = plugin === 'zz/empty' && { emptyDir: { ...(emptyDirSizeLimit && { sizeLimit: emptyDirSizeLimit }) } };
  return { volume: { name, ...emptyDir }, readOnly };
}

const unused = () => {
  throw new Error('nothing is mounted here');
};

/** A plugin with the recorded properties, and nothing behind it. */
export function recordedPlugin(volume: RecordedVolume): VolumePlugin {
  return {
    name: volume.plugin,
    canSupport: () => true,
    volumeName: (spec) => (spec.persistentVolume ? (volume.handle ?? '') : specName(spec)),
    requiresRemount: () => volume.requiresRemount,
    supportsMountOption: false,
    mounter: unused,
    unmounter: unused,
    constructVolumeSpec: unused,
    attachable: { canAttach: () => volume.attachable, attacher: unused },
    deviceMountable: { canDeviceMount: () => volume.deviceMountable, deviceMounter: unused, deviceUnmounter: unused },
    ...(volume.nodeExpandable && { expandable: { requiresFSResize: true, nodeExpand: unused } }),
  };
}

/** The volumes of a case, as recorded and with their plugins. */
interface Volumes {
  recorded(id: string): RecordedVolume;
  /** Throws as the registry does for a volume without a plugin. */
  resolved(id: string): ResolvedVolume;
}

async function volumesOf(list: readonly RecordedVolume[]): Promise<Volumes> {
  const byId = new Map(list.map((volume) => [volume.id, volume]));
  const resolved = new Map<string, () => ResolvedVolume>();
  for (const volume of list) {
    const registry = createPluginRegistry(volume.plugin === 'zz/none' ? [] : [recordedPlugin(volume)]);
    const answer = await registry.resolve(specOf(volume)).then(
      (found) => () => found,
      (error) => () => {
        throw error;
      },
    );
    resolved.set(volume.id, answer);
  }
  const known = <T>(volumes: ReadonlyMap<string, T>, id: string): T => {
    const volume = volumes.get(id);
    if (volume === undefined) throw new Error(`no volume ${id}`);
    return volume;
  };
  return { recorded: (id) => known(byId, id), resolved: (id) => known(resolved, id)() };
}

/** What a step answers, or the text of its error. */
function attempt(run: () => unknown): unknown {
  try {
    return run() ?? {};
  } catch (error) {
    return { error: (error as Error).message };
  }
}

const podOf = (uid: string, ephemeralLimit = ''): Pod => ({
  metadata: { name: `pod-${uid}`, namespace: 'ns', uid },
  spec: {
    containers: [{ name: 'c', image: 'i', ...(ephemeralLimit && { resources: { limits: { 'ephemeral-storage': ephemeralLimit } } }) }],
  },
});

// biome-ignore lint/suspicious/noExplicitAny: steps of many shapes
type Step = any;

function desiredStep(state: DesiredState, step: Step, volumes: Volumes, limits: Record<string, string>): unknown {
  const { op, pod, volumeName } = step;
  switch (op) {
    case 'addPodToVolume': {
      const added = { pod: podOf(pod, limits[pod]), resolved: volumes.resolved(step.volume), outerName: step.outerName, gid: step.gid };
      return { volumeName: state.addPodToVolume({ ...added, now: 0 }) };
    }
    case 'deletePodFromVolume':
      return state.deletePodFromVolume(pod, volumeName);
    case 'markVolumesReportedInUse':
      state.markVolumesReportedInUse(step.volumeNames ?? []);
      return undefined;
    case 'markVolumeAttachability':
      return state.markVolumeAttachability(volumeName, step.attachable);
    case 'updatePersistentVolumeSize':
      return state.updatePersistentVolumeSize(volumeName, Quantity.parse(step.size));
    case 'addErrorsToPod':
      for (const error of step.errors) state.addErrorToPod(pod, error);
      return undefined;
    case 'popPodErrors':
      return { errors: state.popPodErrors(pod) };
    case 'query':
      return {
        volumeExists: state.volumeExists(volumeName),
        podExistsInVolume: state.podExistsInVolume(pod, volumeName),
        volumeExistsWithSpecName: state.volumeExistsWithSpecName(pod, step.specName),
      };
    default:
      throw new Error(`unknown step ${op}`);
  }
}

async function replayDesired({
  steps,
  volumes,
  podEphemeralLimits,
}: {
  steps: Step[];
  volumes: RecordedVolume[];
  podEphemeralLimits: Record<string, string>;
}) {
  const state = createDesiredState();
  const known = await volumesOf(volumes);
  const answers = steps.map((step) => attempt(() => desiredStep(state, step, known, podEphemeralLimits)));
  const toMount = [...state.volumesToMount()].map((wanted) => ({
    volume: wanted.volumeName,
    pod: wanted.podUid,
    specName: specName(wanted.resolved.spec),
    outerNames: wanted.outerNames,
    attachable: wanted.attachable,
    deviceMountable: wanted.deviceMountable,
    gid: wanted.gid,
    reportedInUse: wanted.reportedInUse,
    ...(wanted.sizeLimit !== undefined && { sizeLimitBytes: Number(wanted.sizeLimit) }),
    ...(wanted.persistentVolumeSize?.isZero === false && { persistentSize: wanted.persistentVolumeSize.toString() }),
  }));
  const byVolumeAndPod = ({ volume, pod }: { volume: string; pod: string }) => volume + pod;
  return {
    steps: answers,
    final: {
      volumesToMount: toMount.sort((a, b) => (byVolumeAndPod(a) < byVolumeAndPod(b) ? -1 : 1)),
      volumeNamesByPod: Object.fromEntries(['p1', 'p2', 'p3'].map((pod) => [pod, Object.fromEntries(state.volumeNamesOfPod(pod))])),
      podsWithErrors: state.podsWithErrors().sort(),
    },
  };
}

const facts = (volume: RecordedVolume, podUid: string, volumeName: string, gid = ''): PodMountFacts => ({
  podUid,
  volumeName,
  spec: specOf(volume),
  plugin: recordedPlugin(volume),
  gid,
});

const errorClasses: Record<string, string> = {
  NotAttached: 'volumeNotAttached',
  RemountRequired: 'remountRequired',
  ResizeRequired: 'fsResizeRequired',
};

function actualStep(state: ActualState, step: Step, volumes: Volumes): unknown {
  const { op, pod, volumeName, devicePath, deviceMountPath } = step;
  switch (op) {
    case 'markVolumeAsAttached':
      return state.markVolumeAsAttached(volumeName, volumes.resolved(step.volume), devicePath);
    case 'addAttachUncertainReconstructedVolume':
      return state.addUncertainVolume(volumeName, volumes.resolved(step.volume), devicePath);
    case 'markVolumeAsMounted':
      return state.markVolumeAsMounted(facts(volumes.recorded(step.volume), pod, volumeName));
    case 'markVolumeMountAsUncertain':
      return state.markVolumeMountAsUncertain(facts(volumes.recorded(step.volume), pod, volumeName));
    case 'checkAndMarkVolumeAsUncertainViaReconstruction':
      return { marked: state.markAsReconstructed(facts(volumes.recorded(step.volume), pod, volumeName)) };
    case 'markVolumeAsUnmounted':
      return state.markVolumeAsUnmounted(pod, volumeName);
    case 'markDeviceAsMounted':
      return state.setDeviceMountState(volumeName, 'DeviceGloballyMounted', devicePath, deviceMountPath);
    case 'markDeviceAsUncertain':
      return state.setDeviceMountState(volumeName, 'DeviceMountUncertain', devicePath, deviceMountPath);
    case 'markDeviceAsUnmounted':
      return state.setDeviceMountState(volumeName, 'DeviceNotMounted', '', '');
    case 'deleteVolume':
      return state.deleteVolume(volumeName);
    case 'markVolumeAsDetached':
      return state.markVolumeAsDetached(volumeName);
    case 'updateReconstructed':
      return state.updateReconstructedVolume(volumeName, step.attachable, devicePath);
    case 'initializeClaimSize':
      return state.initializeClaimSize(volumeName, Quantity.parse(step.size));
    case 'markVolumeAsResized':
      return { found: state.markVolumeAsResized(volumeName, Quantity.parse(step.size)) };
    case 'markForInUseExpansionError':
      return state.markForInUseExpansionError(volumeName);
    case 'markRemountRequired':
      return state.markRemountRequired(pod);
    case 'podExistsInVolume': {
      const found = state.podVolumeState(pod, volumeName, Quantity.parse(step.desiredSize));
      const error = describePodVolumeState(found, volumeName, pod);
      return {
        devicePath: found.devicePath,
        exists: found.state !== 'NotAttached' && found.state !== 'NotMounted',
        ...(error && { error, errorClass: errorClasses[found.state] }),
        ...(found.state === 'ResizeRequired' && { currentSize: found.currentSize.toString() }),
      };
    }
    case 'query':
      return {
        volumeExists: state.get(volumeName) !== undefined,
        volumeExistsWithSpecName: state.volumeExistsWithSpecName(pod, step.specName),
        deviceMountState: state.get(volumeName)?.deviceMountState ?? 'DeviceNotMounted',
        mountState: state.mountState(pod, volumeName),
        mountedElsewhere: state.isMountedElsewhere(pod, volumeName),
        podRemovedFromVolume: state.isPodRemovedFromVolume(pod, volumeName),
        isReconstructed: state.isReconstructed(pod, volumeName),
        isDeviceReconstructed: state.isDeviceReconstructed(volumeName),
      };
    default:
      throw new Error(`unknown step ${op}`);
  }
}

async function replayActual({ steps, volumes }: { steps: Step[]; volumes: RecordedVolume[] }) {
  const state = createActualState();
  const known = await volumesOf(volumes);
  const answers = steps.map((step) => attempt(() => actualStep(state, step, known)));
  const all = [...state.volumes()].sort((a, b) => (a.volumeName < b.volumeName ? -1 : 1));
  const possibly = [...state.possiblyMounted()];
  const mounted = possibly.filter(({ mount }) => mount.state === 'VolumeMounted');
  const names = (mounts: typeof possibly) => mounts.map((each) => `${each.mount.podUid}|${each.volume.volumeName}`).sort();
  return {
    steps: answers,
    final: {
      attached: all.map(({ volumeName, attachability, claimSize, deviceMountPath, deviceMountState, devicePath }) => ({
        volume: volumeName,
        attachable: attachability === 'true',
        claimSize: claimSize.toString(),
        deviceMountPath,
        deviceMountState,
        devicePath,
      })),
      mounted: names(mounted),
      possiblyMounted: names(possibly),
      unmounted: all.filter(({ pods }) => pods.size === 0).map(({ volumeName }) => volumeName),
      globallyMounted: all.filter((each) => each.deviceMountState === 'DeviceGloballyMounted').map(({ volumeName }) => volumeName),
      podsWithMountedVolumes: [...new Set(mounted.map(({ mount }) => mount.podUid))].sort(),
    },
  };
}

interface RecordedActual {
  volume: string;
  volumeName: string;
  pod: string;
  devicePath?: string;
  device?: 'DeviceGloballyMounted' | 'DeviceMountUncertain';
  state?: 'VolumeMounted' | 'VolumeMountUncertain' | 'attached';
  claimSize?: string;
  gid?: string;
}

function buildActual(recorded: RecordedActual[] | null, volumes: Volumes): ActualState {
  const actual = createActualState();
  for (const { volume: id, volumeName, pod, devicePath = '', device, state, claimSize, gid } of recorded ?? []) {
    actual.markVolumeAsAttached(volumeName, volumes.resolved(id), devicePath);
    if (device) actual.setDeviceMountState(volumeName, device, devicePath, `/g/${id}`);
    if (state === 'VolumeMounted') actual.markVolumeAsMounted(facts(volumes.recorded(id), pod, volumeName, gid));
    if (state === 'VolumeMountUncertain') actual.markVolumeMountAsUncertain(facts(volumes.recorded(id), pod, volumeName, gid));
    if (claimSize) actual.initializeClaimSize(volumeName, Quantity.parse(claimSize));
  }
  return actual;
}

interface ReconcileInput {
  volumes: RecordedVolume[];
  desired: { pod: string; volume: string; volumeName: string }[] | null;
  actual: RecordedActual[] | null;
  pendingOperations: { volumeName: string; pod: string }[] | null;
  remountRequiredPods: string[];
  reportedInUse: string[];
  volumesAwaitingNodeStatus: string[];
  nodeGetFails: boolean;
  populatorHasAddedPods: boolean;
  controllerAttachDetachEnabled: boolean;
}

function operationText(operation: VolumeOperation): string {
  switch (operation.type) {
    case 'UnmountVolume':
      return `UnmountVolume ${operation.mounted.volume.volumeName} pod=${operation.mounted.mount.podUid}`;
    case 'MountVolume': {
      const { wanted, isRemount, devicePath } = operation;
      return `MountVolume ${wanted.volumeName} pod=${wanted.podUid} remount=${isRemount} devicePath=${devicePath}`;
    }
    case 'ExpandInUseVolume': {
      const { wanted, currentSize } = operation;
      return `ExpandInUseVolume ${wanted.volumeName} pod=${wanted.podUid} from=${currentSize} to=${wanted.persistentVolumeSize}`;
    }
    case 'VerifyControllerAttachedVolume':
      return `VerifyControllerAttachedVolume ${operation.wanted.volumeName} pod=${operation.wanted.podUid}`;
    case 'AttachVolume':
      return `AttachVolume ${operation.wanted.volumeName}`;
    default:
      return `${operation.type} ${operation.volume.volumeName}`;
  }
}

async function replayReconcile(input: ReconcileInput) {
  const volumes = await volumesOf(input.volumes);
  const actual = buildActual(input.actual, volumes);
  for (const pod of input.remountRequiredPods ?? []) actual.markRemountRequired(pod);
  const desired = createDesiredState();
  for (const { pod, volume: id } of input.desired ?? []) {
    const resolved = volumes.resolved(id);
    desired.addPodToVolume({ pod: podOf(pod), resolved, outerName: specName(resolved.spec), gid: '', now: 0 });
  }
  desired.markVolumesReportedInUse(input.reportedInUse ?? []);
  const operations: string[] = [];
  const reconciler = createReconciler({
    desired,
    actual,
    controllerAttachDetach: input.controllerAttachDetachEnabled,
    hasAddedPods: () => input.populatorHasAddedPods,
    isPending: (volumeName, podUid = '') =>
      (input.pendingOperations ?? []).some((each) => each.volumeName === volumeName && (!podUid || !each.pod || each.pod === podUid)),
    execute(operation) {
      if (operation.type === 'MarkVolumeAsDetached') actual.markVolumeAsDetached(operation.volume.volumeName);
      else operations.push(operationText(operation));
    },
    cleanOrphans() {},
    mustStay: () => false,
    isTerminating: () => false,
    getNode: async () => {
      if (input.nodeGetFails) throw new Error('node get failed');
      return {};
    },
  });
  for (const name of input.volumesAwaitingNodeStatus ?? []) reconciler.awaitingNodeStatus.add(name);
  reconciler.reconcile();
  await reconciler.updateFromNodeStatus(new AbortController().signal).catch(() => {});
  return {
    operations: operations.sort(),
    attachedAfter: [...actual.volumes()].map(({ volumeName }) => volumeName).sort(),
    statesSynced: reconciler.statesSynced,
  };
}

interface QueriesInput {
  volumes: RecordedVolume[];
  pods: Pod[];
  desired: { pod: string; volume: string; outerName: string }[] | null;
  actual: RecordedActual[] | null;
  podErrors: Record<string, string[]>;
}

async function replayQueries(input: QueriesInput) {
  const volumes = await volumesOf(input.volumes);
  const states = { desired: createDesiredState(), actual: buildActual(input.actual, volumes) };
  const { desired, actual } = states;
  const podByUid = new Map(input.pods.map((pod) => [pod.metadata?.uid ?? '', pod]));
  for (const { pod, volume: id, outerName } of input.desired ?? [])
    desired.addPodToVolume({ pod: podByUid.get(pod) ?? podOf(pod), resolved: volumes.resolved(id), outerName, gid: '', now: 0 });
  for (const [pod, errors] of Object.entries(input.podErrors ?? {})) for (const error of errors) desired.addErrorToPod(pod, error);

  const clock = createVirtualClock();
  const wait = { waiters: createWaiters(clock), timeoutMs: 3, signal: new AbortController().signal };
  const pods: Record<string, unknown> = {};
  for (const [uid, pod] of [...podByUid].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const mounted = mountedVolumesOfPod(states, uid);
    pods[uid] = {
      expected: expectedVolumes(pod),
      mounted: Object.fromEntries([...mounted].map(([name, each]) => [name, { innerName: each.specName, readOnly: each.readOnly }])),
      possiblyMounted: actual.possiblyMountedOfPod(uid).length > 0,
      extraSupplementalGroups: extraSupplementalGroups(actual, pod, uid),
      waitForAttachAndMountError: await clock.run(waitUntilMounted(states, pod, wait)),
      waitForUnmountError: await clock.run(waitUntilUnmounted(states, pod, wait)),
    };
  }
  return { volumesInUse: volumesInUse(states), pods };
}

export const volumeStatesAdapters: Adapter[] = [
  defineAdapter('dsw-sim', replayDesired),
  defineAdapter('asw-sim', replayActual),
  defineAdapter('reconcile-pass', replayReconcile),
  defineAdapter('volume-manager-queries', replayQueries),
];
