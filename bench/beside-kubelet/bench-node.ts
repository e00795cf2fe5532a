import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { type AuditEvent, createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { command, type ProcessOptions, startCommand } from '../../tests/support/agent/agent-process.js';
import { cgroupRootOf, removeCgroupRoots } from '../../tests/support/agent/cgroup-roots.js';
import { createWorkspace } from '../../tests/support/agent/workspace.js';
import type { ContainerdBinaries } from '../../tests/support/containerd/provide-containerd.js';
import { startKubelet } from '../../tests/support/kubelet/kubelet-process.js';
import { testImage } from '../../tests/support/runtimes/private-runtime.js';
import { openContainerd, openOciRuntime } from './bench-runtime.js';
import { cpuSeconds } from './process-tree.js';

const nodeName = 'bench';
const limitMs = 300_000;

/** CPU and wall time in seconds. */
export interface Took {
  cpu: number;
  wall: number;
}

/** Pods that run, and what their start took. */
export interface StartedPods extends Took {
  /** Milliseconds from the creation of each pod to Ready; empty unless they were started one by one. */
  readyMs: readonly number[];
  /** When each pod was created, in milliseconds since 1970. */
  created: readonly { name: string; at: number }[];
  /** Deletes the pods and resolves once they are removed. */
  stop(): Promise<Took>;
}

/** A node agent as the node of an API server and a separate container runtime. */
export interface BenchNode {
  readonly pid: number;
  /** That of the runtime's daemon; undefined without one. */
  readonly daemon: number | undefined;
  /** The file that the daemon logs to. */
  readonly daemonLog: string | undefined;
  /** From the start of the process to the Ready node. */
  readonly coldStart: Took;
  /** Starts pods at once, or each after the previous is Ready. */
  start(count: number, options?: { serial?: boolean }): Promise<StartedPods>;
  /** CPU and wall time from now until the returned function is called. */
  measure(): () => Took;
  stop(): Promise<void>;
}

export interface BenchNodeOptions {
  /** Absent: `nodeagent run` with its OCI runtime. */
  binaries?: ContainerdBinaries;
  /** Path of a kubelet. Default: the built `nodeagent run`. */
  kubelet?: string | undefined;
  /** Path of the Node that runs `nodeagent`. Default: that of this process. */
  node?: string;
  /** Arguments of Node before the command's path, such as `--cpu-prof`. */
  nodeArgs?: readonly string[];
  /** Receives each write at the API server. */
  audit?: (event: AuditEvent) => void;
}

/** Starts an agent, all with the same configuration, and resolves once its node is Ready. */
export async function startBenchNode({ binaries, kubelet, node, nodeArgs = [], audit }: BenchNodeOptions): Promise<BenchNode> {
  const runtime = await (binaries === undefined ? openOciRuntime() : openContainerd(binaries));
  const work = createWorkspace(nodeName);
  const changed = new Set<() => void>();
  const onRequest = () => {
    for (const check of [...changed]) check();
  };
  const server = createTestApiServer({ network: machineNetwork, nodeRestriction: true, onRequest, ...(audit && { audit }) });
  await server.listen({ tls: true });
  const kubeconfig = join(work.dir, 'node-config');
  writeFileSync(kubeconfig, server.kubeconfig({ user: { username: `system:node:${nodeName}`, groups: ['system:nodes'] } }));
  const places = { dir: work.dir, rootDir: work.root, podLogsDir: join(work.dir, 'logs'), kubeconfig, nodeName };
  mkdirSync(places.rootDir);
  await runtime.prepare(places.rootDir);

  /** Resolves right after the request that makes the condition true. */
  const until = (what: string, condition: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(new Error(`waited ${limitMs} ms for ${what}`))), limitMs);
      const end = (action: () => void) => {
        clearTimeout(timer);
        changed.delete(check);
        action();
      };
      const check = () => condition() && end(resolve);
      changed.add(check);
      check();
    });

  const began = performance.now();
  const agent = kubelet
    ? startKubelet({ ...places, binary: kubelet, endpoint: runtime.endpoint })
    : startNodeagent(
        { ...places, endpoint: runtime.endpoint },
        { program: [...nodeArgs, command], prefix: runtime.prefix, ...(node && { node }) },
      );
  const { pid } = agent;
  const stop = async () => {
    await agent.stop();
    await server.close();
    await runtime.cleanup();
    work.remove();
    removeCgroupRoots();
  };
  const measure = () => {
    const cpu = cpuSeconds(pid);
    const from = performance.now();
    return () => ({ cpu: cpuSeconds(pid) - cpu, wall: (performance.now() - from) / 1_000 });
  };

  let run = 0;
  const start: BenchNode['start'] = async (count, { serial = false } = {}) => {
    const names = Array.from({ length: count }, (_, index) => `run-${run}-${index}`);
    run += 1;
    const isReady = (name: string) => {
      const pod = server.objects.get<Pod>('pods', name);
      return pod !== undefined && isPodReady(pod);
    };
    const started = measure();
    const readyMs: number[] = [];
    const created: { name: string; at: number }[] = [];
    for (const name of names) {
      const from = performance.now();
      created.push({ name, at: performance.timeOrigin + from });
      server.objects.create(podOf(name));
      if (!serial) continue;
      await until(`pod ${name} to be ready`, () => isReady(name));
      readyMs.push(performance.now() - from);
    }
    await until(`${count} pods to be ready`, () => names.every(isReady));
    return { ...started(), readyMs, created, stop: () => stopPods(names) };
  };
  async function stopPods(names: readonly string[]): Promise<Took> {
    const stopped = measure();
    for (const name of names) server.objects.delete('pods', name);
    await until(`${names.length} pods to be removed`, () => names.every((name) => server.objects.get('pods', name) === undefined));
    return stopped();
  }

  try {
    await until('the node to be ready', () => isNodeReady(server));
  } catch (error) {
    await stop();
    throw error;
  }
  const coldStart = { cpu: cpuSeconds(pid), wall: (performance.now() - began) / 1_000 };
  return { pid, daemon: runtime.daemon, daemonLog: runtime.daemonLog, coldStart, start, measure, stop };
}

const isNodeReady = (server: TestApiServer) =>
  server.objects.get<Node>('nodes', nodeName)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ===
  true;

const podOf = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    nodeName,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: testImage,
        imagePullPolicy: 'Never',
        command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1000 & wait $!; done'],
      },
    ],
  },
});

interface Places {
  dir: string;
  rootDir: string;
  podLogsDir: string;
  kubeconfig: string;
  endpoint: string;
}

/** With the configuration of the kubelet: its pod cgroups, its thresholds, and an HTTP API. */
function startNodeagent({ dir, rootDir, podLogsDir, kubeconfig, endpoint }: Places, options: ProcessOptions) {
  const config = join(dir, 'nodeagent.json');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      containerRuntimeEndpoint: endpoint,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${cgroupRootOf(rootDir)}`,
      failSwapOn: false,
      failCgroupV1: false,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      port: 10259,
      healthzPort: 0,
      evictionHard: { 'memory.available': '1Mi' },
    }),
  );
  const process = startCommand(
    [
      ...['run', '--output', 'json', '--config', config, '--kubeconfig', kubeconfig, '--node-name', nodeName],
      ...['--root-dir', rootDir, '--pod-logs-dir', podLogsDir],
    ],
    options,
  );
  return {
    pid: process.pid,
    async stop() {
      await process.end('SIGTERM');
    },
  };
}
