import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
  RuntimeContainerStatus,
  RuntimeSandboxStatus,
} from '@nodeagent/api';
import type { GenerateStatusInput } from './generate/status-input.js';

/** 2026-01-01T00:00:00Z, as milliseconds. */
export const epoch = Date.UTC(2026, 0, 1);

/** Nanoseconds of so many seconds after {@link epoch}. */
function at(seconds: number): bigint {
  return BigInt(epoch / 1000 + seconds) * 1_000_000_000n;
}

export function aPod(spec: Partial<PodSpec> = {}, more: Omit<Pod, 'spec'> = {}): Pod {
  return {
    metadata: { name: 'web', namespace: 'prod', uid: 'u-1', generation: 1, ...more.metadata },
    spec: { containers: [aContainer('app')], restartPolicy: 'Always', ...spec },
    ...(more.status && { status: more.status }),
  };
}

export function aContainer(name: string, more: Partial<Container> = {}): Container {
  return { name, image: `${name}:1`, ...more };
}

export function aStatus(name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name, state, lastState: {}, ready: false, restartCount: 0, image: `${name}:1`, imageID: '', ...more };
}

export const running: ContainerState = { running: { startedAt: '2026-01-01T00:00:01Z' } };
export const waiting: ContainerState = { waiting: { reason: 'ContainerCreating' } };
export function exited(exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): ContainerState {
  return { terminated: { exitCode, reason } };
}

/** An instance of a container as the runtime reports it; its id is `<name>-<restartCount>`. */
export function anInstance(
  name: string,
  state: RuntimeContainerStatus['state'],
  more: Partial<RuntimeContainerStatus> = {},
): RuntimeContainerStatus {
  const restartCount = more.restartCount ?? 0;
  return {
    id: `${name}-${restartCount}`,
    name,
    state,
    createdAt: at(0),
    ...(state !== 'created' && { startedAt: at(1) }),
    ...(state === 'exited' && { finishedAt: at(5) }),
    exitCode: 0,
    image: `${name}:1`,
    imageId: 'sha256:local',
    imageRef: `${name}@sha256:ref`,
    hash: 'h',
    restartCount,
    reason: state === 'exited' ? (more.exitCode ? 'Error' : 'Completed') : '',
    message: '',
    podSandboxId: 's-0',
    ...more,
  };
}

export const readySandbox: RuntimeSandboxStatus = {
  id: 's-0',
  attempt: 0,
  state: 'ready',
  createdAt: at(0),
  networkMode: 'POD',
  network: { ip: '10.0.0.7', additionalIps: [] },
  runtimeHandler: '',
};

/** A generation with these instances in a ready sandbox, or in none if there are no sandboxes. */
export function generation(
  pod: Pod,
  instances: RuntimeContainerStatus[],
  more: Partial<GenerateStatusInput> & { sandboxes?: RuntimeSandboxStatus[]; ips?: string[] } = {},
): GenerateStatusInput {
  const { sandboxes = [readySandbox], ips = ['10.0.0.7'], ...rest } = more;
  const active = sandboxes[0]?.state === 'ready' ? instances : [];
  return {
    pod,
    runtimeName: 'containerd',
    runtimeStatus: { ips, containerStatuses: instances, activeContainerStatuses: active, sandboxStatuses: sandboxes },
    podIsTerminal: false,
    now: epoch,
    ...rest,
  };
}

/** `Ready=False ContainersNotReady`, one text a condition. */
export function shortConditions(status: PodStatus): string[] {
  return (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value}${reason ? ` ${reason}` : ''}`);
}
