import type { Container, Pod, PodStatus } from '@nodeagent/api';
import { findPodCondition, isPodReady } from '@nodeagent/api/helpers';
import type { ContainerBehaviour, MemoryRuntime } from '@nodeagent/memory-runtime';
import type { PodInput } from '@nodeagent/testing';
import { buildPod } from '@nodeagent/testing';

/** The context of a scenario: one pod at the API server, and the node's runtime. */
export interface ScenarioContext {
  api: ScenarioApi;
  /** Scripts for the in-memory runtime; a real one ignores them and runs the containers' commands. */
  memory: Pick<MemoryRuntime, 'script' | 'scriptImage' | 'fault'>;
  clock: ScenarioClock;
  namespace: string;
  /** Replaces the node's manifests. */
  setManifests(manifests: object[]): Promise<void>;
}

/** A scenario's pod at the API server, for other clients than the node. */
export interface ScenarioApi {
  readonly pod: Pod | undefined;
  create(pod: Pod): void;
  /** Changes the spec through `subresource`, if given. */
  update(change: (pod: Pod) => Pod, subresource?: 'resize' | 'ephemeralcontainers'): void;
  /** Writes the status as another client than the node. */
  updateStatus(change: (status: PodStatus) => PodStatus): void;
  /** Deletes the pod within its grace period. */
  delete(gracePeriodSeconds?: number): void;
}

/** The node's time, virtual or real. */
export interface ScenarioClock {
  now(): number;
  advance(ms: number): Promise<void>;
  until(condition: () => boolean, limitMs: number): Promise<void>;
}

/** A pod, the behaviour of its containers, and the changes of the pod. */
export interface Scenario {
  name: string;
  /** Its containers fail and restart, so that the number of restarts depends on timing. */
  restarts?: true;
  /** The agent acts on a probe's result immediately, so that it may skip the status before: docs/decisions/0017. */
  statusesPass?: true;
  /** On a real node the agent re-creates its mirror pod immediately and writes its status, a kubelet does so later: docs/decisions/0027. */
  mirrorComesBack?: true;
  /** Takes more than twenty seconds: starts first among concurrent scenarios. */
  long?: true;
  act(context: ScenarioContext): Promise<void>;
}

/** The node on which the references were recorded. */
export const nodeName = 'node1';
/** The image on the node. */
export const image = 'localhost/busybox:1';
/** Runs until a signal, and then exits within a second. */
export const foreverCommand = 'trap "exit 0" TERM; while :; do sleep 1; done';
export const forever: ContainerBehaviour = { onStop: { afterMs: 700, code: 0 } };

/** A container that runs a shell command. */
export function shell(name: string, command: string, more: Partial<Container> = {}): Partial<Container> & { name: string } {
  return { name, image, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', command], ...more };
}

/** Creates the scenario's pod. */
export function createPod({ api, namespace }: ScenarioContext, spec: Omit<PodInput, 'name' | 'namespace'>): void {
  const common = { nodeName, automountServiceAccountToken: false, enableServiceLinks: false, terminationGracePeriodSeconds: 5 };
  api.create(buildPod({ name: 'p', namespace, ...common, ...spec }));
}

/** Waits up to two minutes until the pod at the API server meets the condition. */
export function until({ api, clock }: ScenarioContext, wanted: (pod: Pod | undefined) => boolean): Promise<void> {
  return clock.until(() => wanted(api.pod), 120_000);
}

export const untilReady = (context: ScenarioContext) => until(context, (pod) => pod !== undefined && isPodReady(pod));

export const untilPhase = (context: ScenarioContext, phase: string) => until(context, (pod) => pod?.status?.phase === phase);

/** Deletes the pod and waits until it is removed. */
export async function deletePod(context: ScenarioContext): Promise<void> {
  context.api.delete();
  await until(context, (pod) => pod === undefined);
}

/** Waits for this number of restarts of the first container. */
export const untilRestarts = (context: ScenarioContext, count: number) =>
  until(context, (pod) => (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= count);

/** The status with a condition of another client. */
export function withCondition(status: PodStatus, type: string): PodStatus {
  const others = status.conditions?.filter((condition) => condition !== findPodCondition(status, type)) ?? [];
  return { ...status, conditions: [...others, { type, status: 'True' }] };
}
