import { fileURLToPath } from 'node:url';
import type { EnvironmentPorts, PodStatus } from '@nodeagent/api';
import { createMemoryPodDirs, createNodeAgent } from '@nodeagent/core';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { createMemoryRuntime, createRecordingRecorder, createVirtualClock, type RecordedCall, seededRandom } from '@nodeagent/testing';
import { ApiPod } from './api-pod.js';
import { canonicalRequest, changingCalls, statusLine } from './canonical.js';
import { image, type Scenario } from './scenario.js';
import { makeTrace, type Trace } from './trace.js';

/** The objects of the cluster that containers' environments refer to: the API server's own service, and nothing else. */
const environment: EnvironmentPorts = {
  listServices: () => [
    { metadata: { name: 'kubernetes', namespace: 'default' }, spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443 }] } },
  ],
};

/** The node on which the references were recorded: cgroup v1, huge pages, memory enough for its scores. */
const machine = {
  memoryBytes: 32n << 30n,
  cgroupVersion: 1 as const,
  hugePageSizes: ['2MB', '1GB'],
  swapController: true,
  swapBytes: 0n,
  maskedPaths: [],
};

/** How long a runtime takes, in milliseconds: enough for what goes on beside its calls to happen in the order it has on a machine. */
const callMs = { runPodSandbox: 100, stopPodSandbox: 80, createContainer: 20, startContainer: 40 } as const;

/** How long the node goes on after the scenario, for what follows from a deletion. */
const afterMs = 3_000;

/** Runs a scenario on an agent with the runtime in memory, in virtual time, and tells what the agent did. */
export async function runScenario({ name, act }: Scenario): Promise<Trace> {
  const namespace = `ns-${name}`;
  const clock = createVirtualClock();
  const files = createMemoryFiles();
  const memory = createMemoryRuntime({ clock, runtimeName: 'containerd', images: [image, 'localhost/busybox:2'], recordCalls: 1e5, files });
  for (const [method, delayMs] of Object.entries(callMs)) memory.fault({ method: method as keyof typeof callMs, delayMs, times: Infinity });
  const statuses: PodStatus[] = [];
  const recorder = createRecordingRecorder();
  const api = new ApiPod({
    clock,
    couldHaveRunningContainers: (uid) => /^(Sync|Terminating)Pod$/.test(agent.explain(uid)?.state ?? ''),
    onStatus: (status) => statuses.push(status),
  });
  const agent = createNodeAgent({
    nodeName: 'node',
    sources: [api.source],
    statusSink: api.sink,
    cri: memory,
    rootDir: '/root',
    environment,
    clock,
    random: seededRandom(1),
    recorder,
    settings: {
      clusterDNS: ['10.0.0.10'],
      clusterDomain: 'cluster.local',
      resolvConf: fileURLToPath(new URL('../node-resolv.conf', import.meta.url)),
      cgroupsPerQOS: true,
    },
    parts: { files, machine, podDirs: createMemoryPodDirs(), hostIps: ['10.88.0.1'] },
  });

  await clock.run(agent.start());
  await clock.run(agent.ready);
  await act({ api, memory, clock, namespace });
  await clock.advance(afterMs);
  const { calls } = memory;
  const seen = {
    calls: calls.filter(({ method }) => changingCalls.has(method)).map(traceCall),
    events: recorder.events.map(({ type, reason, object, message }) => `${type} ${reason} ${object.fieldPath ?? ''}: ${message}`),
    status: statuses.map(statusLine),
  };
  await clock.run(agent.stop());
  return makeTrace(anonymizer(calls, namespace)(seen));
}

function traceCall({ method, request, error }: RecordedCall): Trace['calls'][number] {
  return { call: method, request: canonicalRequest(request) ?? {}, ...(error !== undefined && { fails: true as const }) };
}

/** Replaces what differs from run to run: ids, addresses, generated names. */
function anonymizer(calls: readonly RecordedCall[], namespace: string): (trace: Trace) => Trace {
  const names = new Map<string, string>();
  let [sandboxes, containers] = [0, 0];
  for (const { method, request, response } of calls) {
    const { podSandboxId, containerId } = (response ?? {}) as { podSandboxId?: string; containerId?: string };
    if (podSandboxId !== undefined) names.set(podSandboxId, `<sandbox${++sandboxes}>`);
    if (containerId !== undefined) names.set(containerId, `<container${++containers}>`);
    const uid = method === 'runPodSandbox' && (request as { config?: { metadata?: { uid?: string } } }).config?.metadata?.uid;
    if (uid) names.set(uid, '<uid>');
  }
  return (trace) => {
    let text = JSON.stringify(trace);
    for (const [id, name] of names) text = text.replaceAll(id, name);
    text = text
      .replace(/sha256:[0-9a-f]{64}/g, '<image id>')
      .replace(/\b10\.(?!0\.)\d+\.\d+\.\d+/g, '<ip>')
      .replace(/(containers\/[a-z0-9-]+\/)[0-9a-f]{8}\b/g, '$1<rand>')
      .replaceAll('"/pods/', '"<root>/pods/')
      .replaceAll(namespace, '<namespace>');
    return JSON.parse(text) as Trace;
  };
}
