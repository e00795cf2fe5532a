import { type Clock, NodeAgentError, type Pod, type PodSource, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createMemoryFiles, createMemoryPodDirs, loadResourceManagers, machineParts } from '@nodeagent/core/node';
import { createInProcessTransport, type TransportResponse } from '@nodeagent/kube-client';
import { createTestCluster, type SimulatedAgentOptions, type TestCluster, type TestNode } from '@nodeagent/test-cluster';
import { createVirtualClock } from '@nodeagent/testing';
import { CallLog } from './call-log.js';
import { createSimulatedCheckpoints } from './checkpoints.js';
import { createSimulatedDevices } from './devices.js';
import { createSimulatedDisk, type SimulatedDisk } from './disk.js';
import { apiPort, criPort, devicePort, type Intercept, volumePort } from './port-calls.js';
import { simulatedHost } from './simulated-host.js';

const rootDir = '/var/lib/nodeagent';

/** How a call fails: without an effect, or after it was executed. */
export type FailureKind = 'refused' | 'answer lost';

/** The call that fails, if any. */
export interface Failing {
  call: string;
  kind: FailureKind;
}

/** A node whose calls are recorded, and of which one can fail. */
export interface FailingNode {
  readonly cluster: TestCluster;
  readonly node: TestNode;
  readonly disk: SimulatedDisk;
  readonly log: CallLog;
  /** From now on this call fails; undefined: none. */
  setFailing(failing: Failing | undefined): void;
  /** Ends all open streams, so that the agent opens them again. */
  breakStreams(): void;
  /** Hands these static pods to the agent. */
  setStaticPods(pods: readonly Pod[]): void;
  /** Volumes whose devices are mounted. */
  devices(): string[];
  /** Advances virtual time; the cluster attaches the volumes that the node reports as in use. */
  advance(ms: number): Promise<void>;
  /** Resolves to the number of timers that the agent leaves. */
  stop(): Promise<number>;
}

/** The error of a failed call on each port. */
function failureOf(call: string): Promise<never> {
  if (call.startsWith('cri ')) return Promise.reject(new NodeAgentError('CRI_UNKNOWN', 'injected fault', { retryable: true }));
  return Promise.reject(new Error('injected fault'));
}

const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'InternalError', message: 'injected fault', code: 500 };

function apiFailure(): TransportResponse {
  const body = async function* () {
    yield Buffer.from(JSON.stringify(refusal));
  };
  return { status: refusal.code, headers: { 'content-type': 'application/json' }, body: body() };
}

/** Starts a node and waits until it is ready. `evented`: its agent follows the runtime's events. */
export async function createFailingNode(evented: 'auto' | 'off'): Promise<FailingNode> {
  const clock = createVirtualClock();
  const files = createMemoryFiles();
  const cgroups = createMemoryCgroups();
  const podDirs = createMemoryPodDirs(files);
  const checkpoints = createSimulatedCheckpoints();
  const disk = createSimulatedDisk(rootDir);
  const plugins = createSimulatedDevices();
  const mountedDevices = new Set<string>();
  const log = new CallLog(() => clock.monotonic());
  let failing: Failing | undefined;
  let statics: readonly Pod[] = [];
  const source: PodSource = { name: 'file', onPods: undefined, start: async () => source.onPods?.([...statics]), stop: async () => {} };

  const fail: Intercept = async <T>(call: { name: string }, execute: () => Promise<T>): Promise<T> => {
    if (failing?.call !== call.name) return execute();
    if (failing.kind === 'answer lost') await execute();
    return call.name.startsWith('api ') ? (apiFailure() as T) : failureOf(call.name);
  };
  const intercept: Intercept = (call, execute) => log.observe(call, () => fail(call, execute));
  const wrapped = (options: SimulatedAgentOptions): SimulatedAgentOptions => {
    const { machine, cgroups: _, podDirs: __, files: ___, checkpoints: ____, ...others } = options.host;
    const agentClock = options.clock ?? clock;
    return {
      ...options,
      cri: criPort(options.cri, intercept),
      volumes: volumePort(withDevices(disk.volumes(agentClock), mountedDevices, agentClock), intercept),
      host: {
        ...others,
        ...simulatedHost(
          { files, cgroups: cgroups.files, ...(machine && { machine }) },
          podDirs,
          checkpoints.ports({ clock: agentClock, files, isAlive: () => true }),
        ),
        devicePlugins: devicePort(plugins.ports(agentClock), intercept),
      },
    };
  };

  await loadResourceManagers();
  const cluster = await createTestCluster({
    clock,
    server: { scheduler: false, workloads: false },
    node: {
      runtime: { recordCalls: 0, files },
      agent: {
        sources: [source],
        parts: { devices: machineParts.devices },
        settings: { evented, cgroupsPerQOS: true, devicePlugins: true, imageMinimumGCAgeMs: 5_000, imageMaximumGCAgeMs: 30_000 },
      },
      transport: (server) => apiPort(createInProcessTransport(server), intercept),
      wrap: wrapped,
    },
    traceLimit: 0,
  });
  const node = cluster.node('node-1');
  const attach = () => {
    const { volumesInUse = [], volumesAttached = [] } = node.object()?.status ?? {};
    if (volumesInUse.length === volumesAttached.length) return;
    cluster.server.objects.update(
      'nodes',
      'node-1',
      (object) => {
        Object.assign((object as { status: object }).status, {
          volumesAttached: volumesInUse.map((name) => ({ name, devicePath: '/dev/disk' })),
        });
      },
      { subresource: 'status' },
    );
  };

  return {
    cluster,
    node,
    disk,
    log,
    setFailing: (next) => {
      failing = next;
    },
    breakStreams() {
      node.partition('refused');
      node.heal();
      node.runtime.crash();
      node.runtime.restart();
      plugins.setRunning(false);
      plugins.setRunning(true);
    },
    setStaticPods(pods) {
      statics = pods;
      source.onPods?.([...pods]);
    },
    devices: () => [...mountedDevices],
    async advance(ms) {
      for (let left = ms; left > 0; left -= attachMs) {
        await cluster.advance(Math.min(left, attachMs));
        attach();
      }
    },
    stop: () => cluster.stop(),
  };
}

const attachMs = 5_000;

type DiskVolumes = ReturnType<SimulatedDisk['volumes']>;

/** Persistent volumes are attached, and their devices mounted, before they are mounted for a pod. */
function withDevices(volumes: DiskVolumes, mounted: Set<string>, clock: Clock): DiskVolumes {
  if (volumes.plugins === undefined) return volumes;
  const isPersistent = ({ persistentVolume }: VolumeSpec) => persistentVolume !== undefined;
  const path = (spec: VolumeSpec) => `${rootDir}/plugins/simulated.io/disk/${specName(spec)}`;
  const plugin = (own: VolumePlugin): VolumePlugin => ({
    ...own,
    attachable: {
      canAttach: isPersistent,
      attacher: () => ({
        async waitForAttach(_spec, devicePath, _pod, signal) {
          await clock.sleep(100, signal);
          return devicePath;
        },
      }),
    },
    deviceMountable: {
      canDeviceMount: isPersistent,
      deviceMounter: () => ({
        deviceMountPath: path,
        mountDevice: async (spec) => void mounted.add(path(spec)),
      }),
      deviceUnmounter: () => ({ unmountDevice: async (at) => void mounted.delete(at) }),
    },
  });
  return { ...volumes, plugins: volumes.plugins.map(plugin) };
}
