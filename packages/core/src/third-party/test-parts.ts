import type { Clock, ImageManager, Pod, PodStatus, Runtime, StatusSink } from '@nodeagent/api';
import { type EnvironmentPorts, podUid } from '@nodeagent/api/helpers';
import {
  createTestAllocationManager,
  createTestImageManager,
  createTestPleg,
  createTestPodSource,
  createTestPodWorkers,
  createTestProbeManager,
  createTestRuntime,
  createTestStatsProvider,
  createTestStatusManager,
  createTestStatusSink,
  createTestVolumeManager,
  type TestRuntime,
} from '@nodeagent/compliance/doubles';
import type { Components, PartReplacements } from '../components.js';
import { createCgroups } from './test-small-parts.js';

/** Makes the runtime pull images and read a config map when it starts containers, as container runtimes and their managers do. */
function withImages(runtime: TestRuntime, images: ImageManager, { getConfigMap }: EnvironmentPorts): TestRuntime {
  const syncPod = runtime.syncPod.bind(runtime);
  return Object.assign(runtime, {
    async syncPod(...[pod, status, options]: Parameters<Runtime['syncPod']>) {
      const { name = '', namespace = '' } = pod.metadata ?? {};
      for (const { name: container, image = '' } of pod.spec?.containers ?? []) {
        if (status.containerStatuses.some((each) => each.name === container && each.state === 'running')) continue;
        await images.ensureImageExists({ object: { kind: 'Pod', name, namespace }, pod, image, pullPolicy: 'IfNotPresent' });
        await getConfigMap?.(namespace, 'settings');
      }
      return syncPod(pod, status, options);
    },
  });
}

const contract = [
  'runtimeName',
  'checkRuntime',
  'status',
  'getPods',
  'getPod',
  'getPodStatus',
  'syncPod',
  'killPod',
  'garbageCollect',
  'collectBackOff',
] as const satisfies (keyof Runtime)[];

/** The runtime without its capabilities. */
export function onlyItsContract(runtime: TestRuntime): Runtime {
  const members = contract.map((name) => [name, typeof runtime[name] === 'function' ? runtime[name].bind(runtime) : runtime[name]]);
  return Object.fromEntries(members) as Runtime;
}

/** A source whose pods the test sets. */
export function createSource(clock: Clock) {
  let text = '[]';
  const set = (pods: Pod[]) => {
    text = JSON.stringify(pods);
  };
  return { source: createTestPodSource({ clock, read: async () => text }), set };
}

/** A sink, and the statuses that it received by the UID of their pod. */
export function createSink(clock: Clock) {
  const carried = new Map<string, PodStatus[]>();
  const post = async (uid: string, status: PodStatus) => void carried.set(uid, [...(carried.get(uid) ?? []), status]);
  return { sink: createTestStatusSink({ clock, post }), carried };
}

export interface ThirdPartyPorts {
  clock: Clock;
  environment: EnvironmentPorts;
  sink: StatusSink;
  /** Changes the runtime, which has every capability. */
  runtime(runtime: TestRuntime): Runtime;
}

/** A factory of every part that can be replaced; `as` receives each part with its name. */
export function thirdPartyParts(ports: ThirdPartyPorts, as: <T extends object>(name: string, part: T) => T) {
  const { clock, environment, sink } = ports;
  const pulled = new Set<string>();
  const imageRef = (image: string) => (pulled.has(image) ? image : undefined);
  const pull = async (image: string) => {
    pulled.add(image);
    return image;
  };
  const images = as('imageManager', createTestImageManager({ clock, imageRef, pull }));
  return {
    statusManager: ({ statusSink, state }) =>
      as('statusManager', createTestStatusManager({ clock, pods: () => allPods(state), sink: statusSink })),
    containerManager: () => as('containerManager', createCgroups()),
    pleg: ({ runtime, state }) => as('pleg', createTestPleg({ runtime, cache: state.podCache, clock })),
    imageManager: () => images,
    allocation: (c) =>
      as(
        'allocation',
        createTestAllocationManager({
          activePods: () => c.node.activePods(),
          nodeAllocatable: () => c.node.allocatable(),
          syncPod: (uid) => c.handler.syncPods([uid], 'Resize'),
          admitHandlers: [],
          clock,
          grants: new Map(),
        }),
      ),
    podWorkers: ({ syncer, state }) => as('podWorkers', createTestPodWorkers({ syncer, cache: state.podCache, clock })),
    runtime: () => as('runtime', ports.runtime(withImages(createTestRuntime({ clock, image: () => ({}) }), images, environment))),
    statusSink: () => as('statusSink', sink),
    volumeManager: (c) => as('volumeManager', createTestVolumeManager(volumeNode(c), clock)),
    probeManager: (c) =>
      as(
        'probeManager',
        createTestProbeManager({
          podStatus: (uid) => c.statusManager.getPodStatus(uid),
          runInContainer: async () => ({ exitCode: 0, stdout: '', stderr: '' }),
          clock,
        }),
      ),
    stats: () =>
      as(
        'stats',
        createTestStatsProvider({ nodeName: 'node', pod: { name: 'web', namespace: 'default', uid: 'web' }, memory: async () => 1n }),
      ),
  } satisfies PartReplacements;
}

function allPods({ podManager }: Components['state']): Pod[] {
  const { pods, mirrorPods } = podManager.podsAndMirrorPods();
  return [...pods, ...mirrorPods];
}

/** The pods of the agent, as the volume manager sees them. */
function volumeNode(c: Components) {
  const mounted = new Set<string>();
  return {
    get pods() {
      return new Map(allPods(c.state).map((pod) => [podUid(pod), pod]));
    },
    get ended() {
      const uids = Array.from(mounted, (key) => key.split('/')[0] ?? '');
      return new Set(uids.filter((uid) => c.podWorkers.shouldPodRuntimeBeRemoved(uid)));
    },
    mounted,
    isFailing: false,
  };
}
