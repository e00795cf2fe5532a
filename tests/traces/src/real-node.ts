import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Node, Service } from '@nodeagent/api';
import { createCriClient, type RecordedCriCall, recordCri } from '@nodeagent/cri-client';
import { createNodeMounter } from '@nodeagent/mount-utils';
import { type AuditEvent, createTestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { type AgentProcess, type LogLine, lastLines, startAgent } from '../../support/agent/agent-process.js';
import { cgroupRootOf, nameCgroupRoots, removeCgroupRoots } from '../../support/agent/cgroup-roots.js';
import { fromSources, openRuntime } from './real-runtime.js';
import { type Recording, recordedTrace, recordingOf } from './recorded-trace.js';
import { nodeName, type ScenarioContext } from './scenario.js';
import { ServerPod } from './server-pod.js';
import type { RuntimeKind } from './settings.js';
import type { Trace } from './trace.js';

/** A node in real time: an agent as a process, a runtime behind a recorder, and an API server with an audit log. */
export interface RealNode {
  /** The context of a scenario; scenarios run concurrently, each in a separate namespace. */
  context(scenario: string): ScenarioContext;
  /** The recording so far of a scenario's pod. */
  recording(scenario: string): Recording;
  trace(scenario: string): Trace;
  /** Receives each call before its response is sent; returns a function that removes the listener. */
  onCall(listener: (call: RecordedCriCall) => void): () => void;
  /** Kills the agent with SIGKILL and starts another one on the same node. */
  killAgent(): void;
  /** All containers of a scenario, as the runtime lists them. */
  containers(scenario: string): Promise<string[]>;
  /** A scenario's running containers and ready sandboxes, as the runtime lists them. */
  running(scenario: string): Promise<string[]>;
  /** The whole recording, and the agents' logs. */
  readonly everything: Recording & { log: readonly LogLine[] };
  close(): Promise<void>;
}

/** The namespace of a scenario's pod. */
export const namespaceOf = (scenario: string) => `ns-${scenario}`;

export async function startRealNode(kind: RuntimeKind): Promise<RealNode> {
  const dir = mkdtempSync(join(tmpdir(), 'nodeagent-traces-'));
  const [root, logs, manifests] = ['root', 'logs', 'manifests'].map((name) => join(dir, name)) as [string, string, string];
  mkdirSync(manifests);
  nameCgroupRoots();
  const calls: RecordedCriCall[] = [];
  const audit: AuditEvent[] = [];
  const listeners = new Set<(call: RecordedCriCall) => void>();
  const agents: AgentProcess[] = [];
  const server = createTestApiServer({ network: machineNetwork, audit: (event) => void audit.push(event), nodeRestriction: true });
  // The address of the cluster in which the references were recorded.
  server.objects.delete('services', 'kubernetes');
  server.objects.create<Service>({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default' },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP' }] },
  });
  await server.listen({ tls: true });
  const kubeconfig = join(dir, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig({ user: { username: `system:node:${nodeName}`, groups: ['system:nodes'] } }));
  writeFileSync(join(dir, 'config.yaml'), kubeletConfiguration);
  const runtime = await openRuntime(kind, dir);
  const recorder = await recordCri({
    endpoint: runtime.endpoint,
    socket: join(dir, 'recorder.sock'),
    onCall(call) {
      calls.push(call);
      for (const listener of listeners) listener(call);
    },
  });

  let agent: AgentProcess;
  const startNext = () => {
    agent = startAgent(
      [
        ...['--runtime-endpoint', recorder.socket, '--kubeconfig', kubeconfig, '--config', join(dir, 'config.yaml')],
        ...['--manifests', manifests, '--root-dir', root, '--pod-logs-dir', logs, '--node-name', nodeName],
        ...[
          '--cluster-dns',
          '10.0.0.10',
          '--cluster-domain',
          'cluster.local',
          '--eviction-hard',
          ',',
          '--port',
          '0',
          '--log-level',
          'debug',
        ],
      ],
      fromSources,
    );
    agents.push(agent);
  };
  startNext();
  const conditions = () => server.objects.get<Node>('nodes', nodeName)?.status?.conditions ?? [];
  const isReady = () => conditions().some(({ type, status }) => type === 'Ready' && status === 'True');
  await realClock.until(isReady, 180_000).catch((cause) => {
    throw new Error(`the node did not become ready; its agent logged last:\n${lastLines(agent.lines)}`, { cause });
  });
  const cri = createCriClient({ endpoint: runtime.endpoint });

  const renamed = <T>(value: T): T =>
    JSON.parse(runtime.names.reduce((text, [real, name]) => text.replaceAll(name, real), JSON.stringify(value))) as T;
  const recording = (scenario: string) => recordingOf({ calls, audit }, namespaceOf(scenario));
  return {
    context(scenario) {
      const namespace = namespaceOf(scenario);
      const metadata = { name: namespace };
      server.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
      server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace }, ...{ data: { a: '1', b: '2' } } });
      const data = { k: Buffer.from('v').toString('base64') };
      server.objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sec', namespace }, ...{ data } });
      const pod = new ServerPod(server, namespace);
      const ignore = () => {};
      return {
        api: {
          get pod() {
            return pod.pod;
          },
          create: (created) => pod.create(renamed(created)),
          update: (change, subresource) => pod.update((before) => renamed(change(before)), subresource),
          updateStatus: (change) => pod.updateStatus(change),
          delete: (seconds) => pod.delete(seconds),
        },
        memory: { script: ignore, scriptImage: ignore, fault: () => ({ hits: 0, remove: ignore }) },
        clock: realClock,
        namespace,
        async setManifests(objects) {
          for (const file of readdirSync(manifests)) rmSync(join(manifests, file));
          objects.forEach((object, index) => {
            writeFileSync(join(manifests, `${index}.json`), JSON.stringify(renamed(object)));
          });
        },
      };
    },
    recording,
    trace: (scenario) =>
      recordedTrace(recording(scenario), [
        [root, '<root>'],
        [logs, '/var/log/pods'],
        [namespaceOf(scenario), '<namespace>'],
        ...runtime.names,
        [`/${cgroupRootOf(root)}/kubepods`, '/kubepods'],
      ]),
    onCall(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    killAgent() {
      const killed = agent;
      killed.signal('SIGKILL');
      void killed.exited.then(() => {
        if (agent === killed) startNext();
      });
    },
    async containers(scenario) {
      const labelSelector = { 'io.kubernetes.pod.namespace': namespaceOf(scenario) };
      const { containers } = await cri.runtime.listContainers({ filter: { labelSelector } });
      return containers.map(({ metadata, id }) => metadata?.name ?? id);
    },
    async running(scenario) {
      const labelSelector = { 'io.kubernetes.pod.namespace': namespaceOf(scenario) };
      const { containers } = await cri.runtime.listContainers({ filter: { labelSelector, state: { state: 'CONTAINER_RUNNING' } } });
      const { items } = await cri.runtime.listPodSandbox({ filter: { labelSelector, state: { state: 'SANDBOX_READY' } } });
      return [...containers, ...items].map(({ id, metadata }) => metadata?.name ?? id);
    },
    get everything() {
      return { calls, audit, log: agents.flatMap(({ lines }) => lines) };
    },
    async close() {
      await agent.end('SIGTERM');
      cri.close();
      await recorder.close();
      await runtime.close();
      await server.close();
      const mounts = await createNodeMounter().list();
      for (const { mountPoint } of mounts.filter(({ mountPoint }) => mountPoint.startsWith(`${dir}/`)).reverse()) {
        await createNodeMounter().unmount(mountPoint);
      }
      removeCgroupRoots();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Waits in real time; polls conditions often because they are cheap. */
export const realClock = {
  now: () => Date.now(),
  advance: (ms: number): Promise<void> => sleep(ms),
  async until(condition: () => boolean, limitMs: number): Promise<void> {
    const limit = Date.now() + limitMs;
    while (!condition()) {
      if (Date.now() > limit) throw new Error(`condition not met after ${limitMs / 1000} s`);
      await sleep(20);
    }
  },
};

/** The configuration of the references' kubelet; eviction by the machine's disk is off. */
const kubeletConfiguration = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupsPerQOS: true
cgroupDriver: cgroupfs
imageGCHighThresholdPercent: 100
resolvConf: ${fileURLToPath(new URL('../node-resolv.conf', import.meta.url))}
`;
