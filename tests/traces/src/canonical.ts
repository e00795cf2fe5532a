import type { ContainerState, ContainerStatus, PodStatus } from '@nodeagent/api';

/** Plain JSON. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Calls with an effect; read-only calls are not compared. */
export const changingCalls: ReadonlySet<string> = new Set([
  'runPodSandbox',
  'stopPodSandbox',
  'updatePodSandboxResources',
  'pullImage',
  'createContainer',
  'startContainer',
  'stopContainer',
  'updateContainerResources',
  'execSync',
  'reopenContainerLog',
  'checkpointContainer',
]);

/** Calls that a trace contains. */
export const tracedCalls: ReadonlySet<string> = new Set([...changingCalls, 'removeContainer']);

/** Not compared: times, hashes in the agent's format, and fields that repeat an earlier request. */
const dropped: ReadonlySet<string> = new Set([
  'kubernetes.io/config.seen',
  'kubernetes.io/config.hash',
  'io.kubernetes.container.hash',
  'userSpecifiedImage',
  'sandboxConfig',
]);

/** Lists without a meaningful order. */
const unordered: ReadonlySet<string> = new Set(['envs', 'mounts', 'devices']);

/** By field, the enum names that protocol buffers encode as 0, which equals an absent field. */
const zeroNames: Readonly<Record<string, string>> = {
  network: 'POD',
  pid: 'POD',
  ipc: 'POD',
  mode: 'POD',
  protocol: 'TCP',
  profileType: 'RuntimeDefault',
  propagation: 'PROPAGATION_PRIVATE',
  supplementalGroupsPolicy: 'Merge',
  stopSignal: 'RUNTIME_DEFAULT',
};

/**
 * A request in the canonical form for comparison: keys sorted, 64-bit numbers and bytes as text, no values that equal an absent field. Undefined if
 * no field remains.
 */
export function canonicalRequest(value: unknown, key = ''): Json | undefined {
  if (value === null || value === undefined || value === '' || value === false) return undefined;
  if (typeof value === 'bigint') return value === 0n ? undefined : value.toString();
  if (typeof value === 'number') return value === 0 ? undefined : value;
  if (typeof value === 'string') return value === '0' || value === zeroNames[key] ? undefined : value;
  if (typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return canonicalRequest(new TextDecoder().decode(value));
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalRequest(item) ?? null);
    if (unordered.has(key)) items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return items.length > 0 ? items : undefined;
  }
  const fields = Object.entries(value)
    .filter(([name]) => !dropped.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, field]) => {
      const canonical = canonicalRequest(field, name);
      return canonical === undefined ? [] : [[name, canonical] as const];
    });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

/** A pod's status without its times, ids and addresses: one line. */
export function statusLine(status: PodStatus): string {
  const { phase, qosClass, observedGeneration, conditions, resources, allocatedResources } = status;
  const containers = [status.initContainerStatuses, status.containerStatuses, status.ephemeralContainerStatuses].flatMap(
    (list) => list ?? [],
  );
  return [
    `${phase}${because(status)} ${qosClass ?? ''} ${observedGeneration ?? 0}`,
    ...(conditions ?? [])
      .map((condition) => `${condition.type}=${condition.status}${because(condition)} ${condition.observedGeneration ?? 0}`)
      .sort(),
    ...containers.map(containerLine),
    `resources ${JSON.stringify(canonicalRequest(resources) ?? {})} ${JSON.stringify(canonicalRequest(allocatedResources) ?? {})}`,
  ].join('; ');
}

function containerLine(status: ContainerStatus): string {
  const { name, image, state, lastState, restartCount, ready, started, resources, allocatedResources } = status;
  const last = stateText(lastState);
  const startup = started === undefined ? 'no startup' : started && 'started';
  const facts = [
    `${name} ${stateText(state) ?? 'none'}`,
    image,
    ready && 'ready',
    startup,
    restartCount > 0 && `restarts ${restartCount}`,
    last && `was ${last}`,
    resources && `resources ${JSON.stringify(canonicalRequest(resources) ?? {})}`,
    allocatedResources && `allocated ${JSON.stringify(canonicalRequest(allocatedResources) ?? {})}`,
  ];
  return facts.filter((fact) => typeof fact === 'string').join(', ');
}

function stateText(state: ContainerState | undefined): string | undefined {
  const { waiting, running, terminated } = state ?? {};
  if (running) return 'running';
  if (waiting) return `waiting${because(waiting)}`;
  return terminated && `terminated${because(terminated)}=${terminated.exitCode}`;
}

/** `(reason: message)`, without missing parts. */
function because({ reason, message }: { reason?: string; message?: string }): string {
  const reported = [reason, message].filter(Boolean).join(': ');
  return reported && `(${reported})`;
}
