import { type Container, findPodCondition, isPodReady, type Pod, type PodStatus } from '@nodeagent/api';
import type { ContainerBehaviour, MemoryRuntime } from '@nodeagent/memory-runtime';
import type { PodInput } from '@nodeagent/testing';
import { buildPod } from '@nodeagent/testing';

/** What a scenario acts on: one pod at the API server, and what the node's runtime does with it. */
export interface ScenarioWorld {
  api: ScenarioApi;
  /** What the runtime in memory plays; a real one runs the containers' commands instead and takes no notice. */
  memory: Pick<MemoryRuntime, 'script' | 'scriptImage' | 'fault'>;
  clock: ScenarioClock;
  namespace: string;
  /** Replaces the node's manifests. */
  setManifests(manifests: object[]): Promise<void>;
}

/** A scenario's pod at the API server, as those see it who are not the node. */
export interface ScenarioApi {
  readonly pod: Pod | undefined;
  create(pod: Pod): void;
  /** Changes the spec; `subresource` is the one through which such a change goes. */
  update(change: (pod: Pod) => Pod, subresource?: 'resize' | 'ephemeralcontainers'): void;
  /** Someone else than the node writes the status. */
  updateStatus(change: (status: PodStatus) => PodStatus): void;
  /** Deletes the pod within its grace period. */
  delete(gracePeriodSeconds?: number): void;
}

/** Time as it passes on the node, virtual or real. */
export interface ScenarioClock {
  now(): number;
  advance(ms: number): Promise<void>;
  until(condition: () => boolean, limitMs: number): Promise<void>;
}

/** A pod, how its containers behave, and what happens to it. */
export interface Scenario {
  name: string;
  /** Its containers fail and are started again, so that how often depends on when. */
  restarts?: true;
  /** What follows from a probe's result follows at once, so that a status between may pass unwritten: docs/decisions/0017. */
  statusesPass?: true;
  /** On a real node its mirror pod comes back at once and is told the status, where a kubelet's comes later: docs/decisions/0027. */
  mirrorComesBack?: true;
  /** Takes more than twenty seconds: begun first where scenarios run side by side. */
  long?: true;
  act(world: ScenarioWorld): Promise<void>;
}

/** The node on which the references were recorded. */
export const nodeName = 'node1';
/** The image that the node has. */
export const image = 'localhost/busybox:1';
/** Ends by itself only when told to, within a second. */
export const foreverCommand = 'trap "exit 0" TERM; while :; do sleep 1; done';
export const forever: ContainerBehaviour = { onStop: { afterMs: 700, code: 0 } };

/** A container that runs a shell command. */
export function shell(name: string, command: string, more: Partial<Container> = {}): Partial<Container> & { name: string } {
  return { name, image, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', command], ...more };
}

/** Creates the scenario's pod. */
export function createPod({ api, namespace }: ScenarioWorld, spec: Omit<PodInput, 'name' | 'namespace'>): void {
  const common = { nodeName, automountServiceAccountToken: false, enableServiceLinks: false, terminationGracePeriodSeconds: 5 };
  api.create(buildPod({ name: 'p', namespace, ...common, ...spec }));
}

/** Waits until the pod at the API server is as wanted, for two minutes at most. */
export function until({ api, clock }: ScenarioWorld, wanted: (pod: Pod | undefined) => boolean): Promise<void> {
  return clock.until(() => wanted(api.pod), 120_000);
}

export const untilReady = (world: ScenarioWorld) => until(world, (pod) => pod !== undefined && isPodReady(pod));

export const untilPhase = (world: ScenarioWorld, phase: string) => until(world, (pod) => pod?.status?.phase === phase);

/** Deletes the pod and waits until it is gone. */
export async function deletePod(world: ScenarioWorld): Promise<void> {
  world.api.delete();
  await until(world, (pod) => pod === undefined);
}

/** Waits until the first container has been started again that often. */
export const untilRestarts = (world: ScenarioWorld, count: number) =>
  until(world, (pod) => (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= count);

/** The status with a condition that is not the node's. */
export function withCondition(status: PodStatus, type: string): PodStatus {
  const others = status.conditions?.filter((condition) => condition !== findPodCondition(status, type)) ?? [];
  return { ...status, conditions: [...others, { type, status: 'True' }] };
}
