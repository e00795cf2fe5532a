import { type ChildProcess, spawn } from 'node:child_process';
import type { Pod, PodRuntimeStatus, Runtime, RuntimeContainer, RuntimeContainerStatus, RuntimePod, SyncResult } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** A container is a child process: `command` and `args`, no image, no isolation. */
interface Process {
  child: ChildProcess;
  status: RuntimeContainerStatus;
  ended: Promise<void>;
}

/** The running processes of one pod, in the order of their start. */
interface RunningPod {
  pod: Pod;
  createdAt: bigint;
  processes: Process[];
}

const now = () => BigInt(Date.now()) * 1_000_000n;

/** Runs each container of a pod once, as a command of this machine. */
export function createCommandRuntime(): Runtime {
  const pods = new Map<string, RunningPod>();
  const named = ({ pod }: RunningPod) => ({
    uid: podUid(pod),
    name: pod.metadata?.name ?? '',
    namespace: pod.metadata?.namespace ?? '',
  });
  const isRunning = ({ processes }: RunningPod) => processes.some(({ status }) => status.state === 'running');

  function listed(running: RunningPod): RuntimePod {
    const sandbox = { id: podUid(running.pod), state: isRunning(running) ? ('running' as const) : ('exited' as const) };
    const entry = (container: Partial<RuntimeContainer>): RuntimeContainer =>
      ({
        name: '',
        createdAt: running.createdAt,
        image: '',
        imageId: '',
        imageRef: '',
        hash: '',
        podSandboxId: sandbox.id,
        ...container,
      }) as RuntimeContainer;
    return {
      ...named(running),
      containers: running.processes.map(({ status }) => entry(status)).reverse(),
      sandboxes: [entry(sandbox)],
    };
  }

  function start(running: RunningPod, name: string, [file = '', ...args]: readonly string[]): SyncResult {
    const child = spawn(file, args, { stdio: 'ignore' });
    const status: RuntimeContainerStatus = {
      ...{
        id: `${podUid(running.pod)}-${name}`,
        name,
        state: 'running',
        createdAt: now(),
        startedAt: now(),
        podSandboxId: podUid(running.pod),
      },
      ...{ image: file, imageId: file, imageRef: file, hash: '', restartCount: 0, exitCode: 0, reason: '', message: '' },
    };
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => Object.assign(status, { exitCode: 127, reason: 'StartError', message: error.message }) && resolve());
      child.once(
        'exit',
        (code) => Object.assign(status, { exitCode: code ?? 137, reason: code === 0 ? 'Completed' : 'Error' }) && resolve(),
      );
    }).then(() => void Object.assign(status, { state: 'exited', finishedAt: now() }));
    running.processes.push({ child, status, ended });
    return { action: 'StartContainer', target: name };
  }

  return {
    runtimeName: 'command',
    checkRuntime: async () => {},
    status: async () => ({ runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' }),
    getPods: async (all) => [...pods.values()].filter((running) => all || isRunning(running)).map(listed),
    getPod: async (uid) => {
      const running = pods.get(uid);
      return running && listed(running);
    },
    async getPodStatus({ uid, name, namespace }): Promise<PodRuntimeStatus> {
      const running = pods.get(uid);
      const containerStatuses = (running?.processes ?? []).map(({ status }) => ({ ...status })).reverse();
      const sandbox = { id: uid, attempt: 0, createdAt: running?.createdAt ?? 0n, networkMode: 'NODE' as const, runtimeHandler: '' };
      const sandboxStatuses = running ? [{ ...sandbox, state: isRunning(running) ? ('ready' as const) : ('notReady' as const) }] : [];
      return { uid, name, namespace, ips: [], containerStatuses, activeContainerStatuses: containerStatuses, sandboxStatuses };
    },
    async syncPod(pod) {
      const running = pods.get(podUid(pod)) ?? { pod, createdAt: now(), processes: [] };
      pods.set(podUid(pod), running);
      const missing = (pod.spec?.containers ?? []).filter(({ name }) => !running.processes.some(({ status }) => status.name === name));
      return { results: missing.map(({ name, command = [], args = [] }) => start(running, name, [...command, ...args])) };
    },
    async killPod(_pod, { uid }) {
      const processes = pods.get(uid)?.processes.filter(({ status }) => status.state === 'running') ?? [];
      for (const { child } of processes) child.kill('SIGTERM');
      await Promise.all(processes.map(({ ended }) => ended));
      return { results: processes.map(({ status }) => ({ action: 'KillContainer', target: status.name })) };
    },
    async garbageCollect() {
      for (const [uid, running] of pods) if (!isRunning(running)) pods.delete(uid);
    },
    collectBackOff: () => {},
  };
}
