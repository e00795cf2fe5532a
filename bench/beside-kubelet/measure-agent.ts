import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPodReady, type Node, type Pod } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { startCommand } from '../../tests/support/agent/agent-process.js';
import { cgroupRootOf, removeCgroupRoots } from '../../tests/support/agent/cgroup-roots.js';
import { createWorkspace } from '../../tests/support/agent/workspace.js';
import { startContainerd, testImage } from '../../tests/support/containerd/containerd.js';
import type { ContainerdBinaries } from '../../tests/support/containerd/provide-containerd.js';
import { startKubelet } from '../../tests/support/kubelet/kubelet-process.js';
import { cpuSeconds, residentMib } from './process-tree.js';

/** CPU and wall times in seconds, `serialReady` in milliseconds, memory in MiB, idle CPU in percent of a core. */
export interface Usage {
  coldStartCpu: number;
  coldStartWall: number;
  rssWithoutPods: number;
  startCpu: number;
  startWall: number;
  rssWith60Pods: number;
  idleCpu: number;
  stopCpu: number;
  stopWall: number;
  serialStartCpu: number;
  serialStopCpu: number;
  serialReady: number;
  rssWith110Pods: number;
}

const nodeName = 'bench';
const settleMs = 10_000;
const idleMs = 20_000;
const limitMs = 300_000;

/** Measures a kubelet, or the built `nodeagent run` without a path, as the node of an API server and a separate containerd. */
export async function measureAgent(binaries: ContainerdBinaries, kubelet?: string): Promise<Usage> {
  const containerd = await startContainerd(binaries);
  const work = createWorkspace(nodeName);
  const changed = new Set<() => void>();
  const onRequest = () => {
    for (const check of [...changed]) check();
  };
  const server = createTestApiServer({ nodeRestriction: true, onRequest });
  await server.listen({ tls: true });
  const kubeconfig = join(work.dir, 'node-config');
  writeFileSync(kubeconfig, server.kubeconfig({ user: { username: `system:node:${nodeName}`, groups: ['system:nodes'] } }));
  const places = { dir: work.dir, rootDir: work.root, podLogsDir: join(work.dir, 'logs'), kubeconfig, nodeName };
  mkdirSync(places.rootDir);

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
    ? startKubelet({ ...places, binary: kubelet, endpoint: containerd.endpoint })
    : startNodeagent({ ...places, endpoint: containerd.endpoint });
  const { pid } = agent;
  try {
    await until('the node to be ready', () => isNodeReady(server));
    const coldStart = { coldStartCpu: cpuSeconds(pid), coldStartWall: (performance.now() - began) / 1_000 };
    await sleep(settleMs);
    const rssWithoutPods = residentMib(pid);

    let run = 0;
    /** Starts pods at once, or each after the previous is ready; resolves to what that took and how to stop them. */
    async function start(count: number, { serial = false } = {}) {
      const names = Array.from({ length: count }, (_, index) => `run-${run}-${index}`);
      run += 1;
      const isReady = (name: string) => {
        const pod = server.objects.get<Pod>('pods', name);
        return pod !== undefined && isPodReady(pod);
      };
      const started = measure(pid);
      const readyMs: number[] = [];
      for (const name of names) {
        const created = performance.now();
        server.objects.create(podOf(name));
        if (!serial) continue;
        await until(`pod ${name} to be ready`, () => isReady(name));
        readyMs.push(performance.now() - created);
      }
      await until(`${count} pods to be ready`, () => names.every(isReady));
      return { ...started(), readyMs, stop: () => stop(names) };
    }
    async function stop(names: readonly string[]) {
      const stopped = measure(pid);
      for (const name of names) server.objects.delete('pods', name);
      await until(`${names.length} pods to be removed`, () => names.every((name) => server.objects.get('pods', name) === undefined));
      return stopped();
    }

    for (let warmUp = 0; warmUp < 2; warmUp++) await (await start(60)).stop();
    const many = await start(60);
    await sleep(settleMs);
    const idle = measure(pid);
    await sleep(idleMs);
    const idleCpu = (idle().cpu / (idleMs / 1_000)) * 100;
    const rssWith60Pods = residentMib(pid);
    const manyStopped = await many.stop();

    await (await start(15, { serial: true })).stop();
    const serial = await start(15, { serial: true });
    const serialStopped = await serial.stop();

    const most = await start(110);
    await sleep(settleMs);
    const rssWith110Pods = residentMib(pid);
    await most.stop();
    return {
      ...coldStart,
      rssWithoutPods,
      startCpu: many.cpu,
      startWall: many.wall,
      rssWith60Pods,
      idleCpu,
      stopCpu: manyStopped.cpu,
      stopWall: manyStopped.wall,
      serialStartCpu: serial.cpu,
      serialStopCpu: serialStopped.cpu,
      serialReady: serial.readyMs.sort((a, b) => a - b)[7] ?? Number.NaN,
      rssWith110Pods,
    };
  } finally {
    await agent.stop();
    await server.close();
    await containerd.cleanup();
    work.remove();
    removeCgroupRoots();
  }
}

/** CPU and wall time from now until the returned function is called, in seconds. */
function measure(pid: number): () => { cpu: number; wall: number } {
  const cpu = cpuSeconds(pid);
  const began = performance.now();
  return () => ({ cpu: cpuSeconds(pid) - cpu, wall: (performance.now() - began) / 1_000 });
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
function startNodeagent({ dir, rootDir, podLogsDir, kubeconfig, endpoint }: Places) {
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
  const process = startCommand([
    ...['run', '--output', 'json', '--config', config, '--kubeconfig', kubeconfig, '--node-name', nodeName],
    ...['--root-dir', rootDir, '--pod-logs-dir', podLogsDir],
  ]);
  return {
    pid: process.pid,
    async stop() {
      await process.end('SIGTERM');
    },
  };
}
