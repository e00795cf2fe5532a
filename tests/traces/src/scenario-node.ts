import { fileURLToPath } from 'node:url';
import type { ConfigMap, EventRecorder, Node, Pod, PodStatus, Secret } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createMemoryPodDirs, createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createPredicateAdmitHandler } from '@nodeagent/pod-admission';
import { decodeManifest } from '@nodeagent/pod-sources';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import {
  createManualSource,
  createRecordingRecorder,
  createVirtualClock,
  type ManualSource,
  type RecordingRecorder,
  seededRandom,
  type VirtualClock,
} from '@nodeagent/testing';
import { ApiPod } from './api-pod.js';
import { createKillablePorts, type KillablePorts } from './killable-ports.js';
import { image, nodeName } from './scenario.js';

const configMaps: Readonly<Record<string, ConfigMap>> = {
  cm: { data: { a: '1', b: '2' } },
  'kube-root-ca.crt': { data: { 'ca.crt': 'the certificate of the API server' } },
};
const secrets: Readonly<Record<string, Secret>> = { sec: { data: { k: Buffer.from('v').toString('base64') } } };

/** The objects of the cluster that pods refer to: those of the scenarios, and the default ones. */
const environment: EnvironmentPorts = {
  listServices: () => [
    { metadata: { name: 'kubernetes', namespace: 'default' }, spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443 }] } },
  ],
  getConfigMap: async (_, name) => configMaps[name],
  getSecret: async (_, name) => secrets[name],
};

/** The node of the references: cgroup v1, huge pages, and memory for the same OOM scores. */
const machine = {
  cpus: 2,
  memoryBytes: 31n << 30n,
  cgroupVersion: 1 as const,
  hugePageSizes: ['2MB', '1GB'],
  swapController: true,
  swapBytes: 0n,
  maskedPaths: [],
};

/** The same node for pod admission. */
const node: Node = {
  metadata: {
    name: nodeName,
    uid: 'node-uid',
    labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
  },
  status: { allocatable: { cpu: '2', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' } },
};

/** Latency of runtime calls in milliseconds: long enough for the same order of concurrent steps as on a machine. */
const callMs = {
  runPodSandbox: 100,
  stopPodSandbox: 80,
  createContainer: 20,
  startContainer: 40,
  updateContainerResources: 30,
  pullImage: 50,
  imageStatus: 10,
  podSandboxStatus: 5,
} as const;

/** How the agent observes containers: by relisting every second, as the kubelet of the references, or by events. */
export type Pleg = 'listing' | 'events';

/** A machine with a runtime and one pod's API server, for several agents one after the other. */
export interface ScenarioNode {
  clock: VirtualClock;
  memory: MemoryRuntime;
  api: ApiPod;
  /** Replaces the node's manifests. */
  setManifests(manifests: object[]): Promise<void>;
  recorder: RecordingRecorder;
  /** All written statuses of the pod. */
  statuses: PodStatus[];
  /** Creates the node's next agent; the previous one must have stopped. */
  nextAgent(): { agent: NodeAgent; ports: KillablePorts };
}

export function createScenarioNode(pleg: Pleg): ScenarioNode {
  const clock = createVirtualClock();
  const files = createMemoryFiles();
  const podDirs = createMemoryPodDirs(files);
  const { cgroupVersion: version, hugePageSizes } = machine;
  const { files: cgroups } = createMemoryCgroups({ version, hugePageSizes });
  const memory = createMemoryRuntime({ clock, runtimeName: 'containerd', images: [image, 'localhost/busybox:2'], recordCalls: 1e5, files });
  for (const [method, delayMs] of Object.entries(callMs)) memory.fault({ method: method as keyof typeof callMs, delayMs, times: Infinity });
  const statuses: PodStatus[] = [];
  const recorder = createRecordingRecorder();
  let staticPods: Pod[] = [];
  let manifests: ManualSource | undefined;
  const api = new ApiPod({
    clock,
    node,
    onStatus: (status) => statuses.push(status),
  });
  return {
    clock,
    memory,
    api,
    recorder,
    statuses,
    async setManifests(objects) {
      staticPods = (await Promise.all(objects.map(decodeStaticPods))).flat();
      manifests?.set(staticPods);
    },
    nextAgent() {
      const ports = createKillablePorts(clock, memory);
      const whileAlive: EventRecorder = { event: (...event) => void (ports.alive && event[0].kind !== 'Node' && recorder.event(...event)) };
      manifests = createManualSource(staticPods);
      const agent = createNodeAgent({
        nodeName,
        sources: [manifests],
        cluster: api.cluster(ports.clock),
        cri: ports.cri,
        rootDir: '/',
        environment,
        admitHandlers: [createPredicateAdmitHandler({ node: () => node })],
        clock: ports.clock,
        random: seededRandom(1),
        recorder: whileAlive,
        settings: {
          clusterDNS: ['10.0.0.10'],
          clusterDomain: 'cluster.local',
          resolvConf: fileURLToPath(new URL('../node-resolv.conf', import.meta.url)),
          cgroupsPerQOS: true,
          evented: pleg === 'events' ? 'on' : 'off',
        },
        host: { files, machine, podDirs, cgroups },
        hostIps: ['10.88.0.1'],
      });
      return { agent, ports };
    },
  };
}

async function decodeStaticPods(manifest: object): Promise<Pod[]> {
  const documents = await decodeManifest(JSON.stringify(manifest), { source: 'file', file: 'trace.json', nodeName });
  return documents.flatMap(({ pod, error }) => {
    if (error) throw error;
    return pod === undefined ? [] : [pod];
  });
}
