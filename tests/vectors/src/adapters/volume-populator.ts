import {
  apiStatusError,
  errorMessage,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type Volume,
  type VolumePlugin,
} from '@nodeagent/api';
import { podUid, specName } from '@nodeagent/api/helpers';
import {
  createActualState,
  createDesiredState,
  createPluginRegistry,
  createPopulator,
  podVolumeSpec,
} from '@nodeagent/volume-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { recordedPlugin } from './volume-states.js';

const never = new AbortController().signal;

/** Answers with what there is of that name, or that there is none. */
function getter<T>(resource: string, objects: (name: string) => T | undefined) {
  return {
    async get({ name }: { name: string }): Promise<T> {
      const object = objects(name);
      if (object) return object;
      throw apiStatusError({ code: 404, reason: 'NotFound', message: `${resource} "${name}" not found` });
    },
  };
}

interface SpecInput {
  pod: Pod;
  volume: Volume;
  persistentVolumeClaim?: PersistentVolumeClaim;
  persistentVolume?: PersistentVolume;
  usedInVolumeMounts?: boolean;
  usedInVolumeDevices?: boolean;
}

async function replayVolumeSpec(input: SpecInput) {
  const { pod, volume, persistentVolumeClaim: claim, persistentVolume } = input;
  const used = {
    mounts: new Set(input.usedInVolumeMounts ? [volume.name] : []),
    devices: new Set(input.usedInVolumeDevices ? [volume.name] : []),
  };
  const getters = {
    claims: getter('persistentvolumeclaims', (name) => (claim?.metadata?.name === name ? claim : undefined)),
    persistentVolumes: getter('persistentvolumes', (name) => (name === 'pv-a' ? persistentVolume : undefined)),
  };
  try {
    const { spec, gid } = await podVolumeSpec(pod, volume, used, getters, never);
    return { specName: specName(spec), kind: spec.persistentVolume ? 'persistent' : 'pod', readOnly: spec.readOnly, gid };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

const facts = { readOnly: false, nodeExpandable: false } as const;
const attachable: VolumePlugin = {
  ...recordedPlugin({
    ...facts,
    id: 'A',
    plugin: 'zz/attach',
    kind: 'persistent',
    specName: 'pv-a',
    handle: 'h-a',
    attachable: true,
    deviceMountable: true,
    requiresRemount: false,
  }),
  canSupport: ({ persistentVolume }) => persistentVolume !== undefined,
  attachable: { canAttach: () => true, attacher: () => ({ waitForAttach: async () => '' }) },
};
const remounted: VolumePlugin = {
  ...recordedPlugin({
    ...facts,
    id: 'E',
    plugin: 'zz/remount',
    kind: 'pod',
    specName: 'cfg',
    attachable: false,
    deviceMountable: false,
    requiresRemount: true,
  }),
  canSupport: ({ volume }) => volume?.name === 'cfg',
};

interface SimStep {
  op: string;
  pod: string;
  volumeName: string;
  bound: boolean;
}

async function replaySim({ claimInitiallyBound, pods, steps }: { claimInitiallyBound: boolean; pods: Pod[]; steps: SimStep[] }) {
  const all = new Map(pods.map((pod) => [podUid(pod), pod]));
  const known = new Map<string, Pod>();
  const terminating = new Set<string>();
  const removed = new Set<string>();
  let bound = claimInitiallyBound;
  const plugins = createPluginRegistry([attachable, remounted]);
  const states = { desired: createDesiredState(), actual: createActualState() };
  const { desired, actual } = states;
  const claim = (): PersistentVolumeClaim => ({
    metadata: { name: 'claim1', namespace: 'ns', uid: 'uid-claim1' },
    spec: { volumeName: 'pv-a' },
    status: { phase: bound ? 'Bound' : 'Pending' },
  });
  const persistentVolume: PersistentVolume = {
    metadata: { name: 'pv-a' },
    spec: { claimRef: { uid: 'uid-claim1' }, volumeMode: 'Filesystem' },
  };
  const populator = createPopulator({
    ...states,
    plugins,
    pods: () => [...known.values()],
    podStates: {
      shouldPodContainersBeTerminating: (uid) => terminating.has(uid),
      shouldPodRuntimeBeRemoved: (uid) => removed.has(uid),
    },
    claims: getter('persistentvolumeclaims', claim),
    persistentVolumes: getter('persistentvolumes', () => persistentVolume),
    now: () => 0,
  });

  const loop = async () => {
    for (const uid of populator.unprocessed()) await populator.process(uid, never);
    populator.removeTerminatedPods();
    const remountRequired = [...actual.possiblyMounted()].filter(({ mount }) => mount.remountRequired);
    return {
      desired: [...desired.volumesToMount()].map(({ podUid: uid, volumeName }) => `${uid}|${volumeName}`).sort(),
      processed: Object.fromEntries(populator.processed),
      remountRequired: remountRequired.map(({ mount, volume }) => `${mount.podUid}|${volume.volumeName}`).sort(),
      podsWithErrors: desired.podsWithErrors().sort(),
    };
  };

  const volumeOf = async (pod: string, volumeName: string) => {
    const isClaim = volumeName.startsWith('zz/attach/');
    const spec = isClaim ? { persistentVolume, readOnly: false } : { volume: { name: 'cfg' }, readOnly: false };
    return { resolved: await plugins.resolve(spec), facts: { podUid: pod, volumeName, spec, plugin: plugins.bySpec(spec) } };
  };

  const run = async ({ op, pod, volumeName, bound: isBound }: SimStep) => {
    switch (op) {
      case 'loop':
        return loop();
      case 'addPod':
        known.set(pod, all.get(pod) as Pod);
        break;
      case 'removePod':
        known.delete(pod);
        break;
      case 'setClaimBound':
        bound = isBound;
        break;
      case 'setRuntimeRemoved':
        removed.add(pod);
        terminating.add(pod);
        break;
      case 'setContainersTerminating':
        terminating.add(pod);
        break;
      case 'reprocessPod':
        populator.reprocess(pod);
        break;
      case 'setHasAddedPods':
        populator.hasAddedPods = true;
        break;
      case 'markMounted': {
        const volume = await volumeOf(pod, volumeName);
        actual.markVolumeAsAttached(volumeName, volume.resolved, '');
        actual.markVolumeAsMounted(volume.facts);
        break;
      }
      case 'markUnmounted':
        if (actual.get(volumeName)) actual.markVolumeAsUnmounted(pod, volumeName);
        break;
      default:
        throw new Error(`unknown step ${op}`);
    }
    return {};
  };

  const answers: unknown[] = [];
  for (const step of steps) answers.push(await run(step));
  return { steps: answers };
}

export const volumePopulatorAdapters: Adapter[] = [
  defineAdapter('populator-volume-spec', replayVolumeSpec),
  defineAdapter('populator-sim', replaySim),
];
