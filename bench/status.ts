import type { Pod, RuntimeContainerStatus } from '@nodeagent/api';
import { createStatusManager, type GenerateStatusInput, generateApiPodStatus } from '@nodeagent/status-manager';

const containerCount = 10;
const seconds = 1_000_000_000n;

/** The rate of generated statuses, and the cost of setting an unchanged one. */
export async function benchStatus(report: (line: string) => void): Promise<void> {
  const pod = tenContainers('pod-0');
  const input = generationInput(pod);
  const manager = createStatusManager({ clock: { now: () => input.now }, pods: allPods });
  const first = generateApiPodStatus(input).status;
  manager.setPodStatus(pod, first);
  const oldStatus = manager.getPodStatus('pod-0');

  const generated = rate(() => generateApiPodStatus({ ...input, oldStatus }));
  report(`status: generate, ${containerCount} containers: ${thousands(generated)} k/s`);

  const status = generateApiPodStatus({ ...input, oldStatus }).status;
  const set = rate(() => manager.setPodStatus(pod, status));
  report(`status: set unchanged, ${containerCount} containers: ${thousands(set)} k/s`);
  report(`status: bytes a cached pod of ${containerCount} containers: ${bytesPerCachedPod(2_000)}`);
}

const allPods = { podByUid: () => undefined, mirrorPodByPod: () => undefined, translatePodUid: (uid: string) => uid };

function tenContainers(uid: string): Pod {
  const containers = Array.from({ length: containerCount }, (_, index) => ({
    name: `c${index}`,
    image: 'registry.example/app:1',
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '500m', memory: '128Mi' } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  }));
  return { metadata: { uid, name: uid, namespace: 'bench', generation: 1 }, spec: { containers, restartPolicy: 'Always' } };
}

function generationInput(pod: Pod): GenerateStatusInput {
  const containerStatuses = (pod.spec?.containers ?? []).map(
    ({ name, image = '' }, index): RuntimeContainerStatus => ({
      id: `${index}`.padStart(64, '0'),
      name,
      state: 'running',
      createdAt: 1_767_225_600n * seconds,
      startedAt: 1_767_225_601n * seconds,
      exitCode: 0,
      image,
      imageId: 'sha256:1',
      imageRef: 'sha256:1',
      hash: '1',
      restartCount: 0,
      reason: '',
      message: '',
      podSandboxId: 's',
      resources: { cpuRequest: 100, cpuLimit: 500, memoryRequest: 67_108_864n, memoryLimit: 134_217_728n },
      user: { uid: 0, gid: 0, supplementalGroups: [0] },
    }),
  );
  const sandbox = { id: 's', attempt: 0, state: 'ready', createdAt: 0n, networkMode: 'POD', runtimeHandler: '' } as const;
  return {
    pod,
    runtimeName: 'containerd',
    runtimeStatus: { ips: ['10.0.0.1'], containerStatuses, activeContainerStatuses: containerStatuses, sandboxStatuses: [sandbox] },
    podIsTerminal: false,
    now: Date.UTC(2026, 0, 1),
    hostIps: ['192.0.2.1'],
  };
}

/** Calls a second, of the best of three rounds of a third of a second. */
function rate(call: () => unknown): number {
  let best = 0;
  for (let round = 0; round < 3; round++) {
    const start = process.hrtime.bigint();
    let calls = 0;
    let elapsed = 0;
    while (elapsed < 0.3) {
      for (let i = 0; i < 100; i++) call();
      calls += 100;
      elapsed = Number(process.hrtime.bigint() - start) / 1e9;
    }
    best = Math.max(best, calls / elapsed);
  }
  return best;
}

const thousands = (perSecond: number) => (perSecond / 1000).toFixed(1);

/** Exact only with `node --expose-gc`. */
function bytesPerCachedPod(count: number): number {
  const pods = Array.from({ length: count }, (_, index) => tenContainers(`pod-${index}`));
  const inputs = pods.map(generationInput);
  const manager = createStatusManager({ clock: { now: () => 0 }, pods: allPods });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (const input of inputs) manager.setPodStatus(input.pod, generateApiPodStatus(input).status);
  globalThis.gc?.();
  const bytes = process.memoryUsage().heapUsed - before;
  return Math.round(bytes / [...manager.versionedStatuses()].length);
}
