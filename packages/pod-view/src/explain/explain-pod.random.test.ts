import type { Pod } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { nextRestarts } from '../containers/next-restarts.js';
import type { PodEvent } from '../containers/pod-events.js';
import { podColumns } from '../pod-columns.js';
import { explainPod } from './explain-pod.js';
import type { PodStateExplanation } from './pod-explanation.js';

const now = Date.parse('2026-01-01T01:00:00Z');

/** Generates JSON of pods and events in which any field may be missing, empty or null. */
function generator(random: () => number) {
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
  /** Keeps about two thirds of the fields; some lists, objects and times become null, as Go writes empty ones. */
  const some = (fields: Record<string, () => unknown>) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, create]) => {
        const value = create();
        const mayBeNull = typeof value === 'object' || /(?:Timestamp|Time|At)$/.test(name);
        return random() < 0.65 ? [[name, mayBeNull && random() < 0.05 ? null : value]] : [];
      }),
    );
  const list = (value: () => unknown) => Array.from({ length: Math.floor(random() * 4) }, value);
  const text = () => pick('', 'a', 'x.y/z', 'Line one.\nLine two.  ', 'back-off 40s restarting failed container=a pod=p');
  const name = () => pick('a', 'b', 'c');
  const number = () => pick(0, 1, 3, 137, 1_000_000);
  const flag = () => random() < 0.5;
  const time = () =>
    pick(
      '2026-01-01T00:59:30Z',
      '2026-01-01T01:00:20Z',
      '2025-12-01T00:00:00.5Z',
      '0001-01-01T00:00:00Z',
      '1970-01-01T00:00:00Z',
      'yesterday',
      '+275760-09-13T00:00:00Z',
    );
  const status = () => pick('True', 'False', 'Unknown');
  const ended = () =>
    some({
      exitCode: number,
      signal: number,
      reason: () => pick('Error', 'Completed', 'OOMKilled', ''),
      startedAt: time,
      finishedAt: time,
    });
  const waitingReason = () =>
    pick('CrashLoopBackOff', 'ImagePullBackOff', 'ErrImagePull', 'ContainerCreating', 'PodInitializing', 'CreateContainerConfigError', '');
  const state = () =>
    pick({ waiting: some({ reason: waitingReason, message: text }) }, { running: some({ startedAt: time }) }, { terminated: ended() }, {});
  const containerStatus = () =>
    some({ name, ready: flag, started: flag, restartCount: number, state, lastState: () => pick({ terminated: ended() }, {}) });
  const probe = () =>
    some({
      httpGet: () => some({ port: number, path: text }),
      tcpSocket: () => some({ port: number }),
      periodSeconds: number,
      failureThreshold: number,
    });
  const rules = () => [
    some({ action: () => 'Restart', exitCodes: () => some({ operator: () => pick('In', 'NotIn'), values: () => [1] }) }),
  ];
  const container = () =>
    some({
      name,
      image: text,
      restartPolicy: () => pick('Always', 'Never', 'OnFailure'),
      restartPolicyRules: rules,
      readinessProbe: probe,
      startupProbe: probe,
    });
  const conditionType = () =>
    pick('Ready', 'PodScheduled', 'Initialized', 'PodResizePending', 'PodResizeInProgress', 'DisruptionTarget', 'x.y/z');
  const podReason = () => pick('Evicted', 'NodeLost', 'DeadlineExceeded', 'Preempting', 'OutOfcpu', 'Terminated', '');
  const pod = () =>
    some({
      metadata: () =>
        some({
          name,
          uid: name,
          creationTimestamp: time,
          deletionTimestamp: time,
          deletionGracePeriodSeconds: number,
          finalizers: () => list(text),
          annotations: () => pick({ 'kubernetes.io/config.mirror': 'h' }, { 'kubernetes.io/config.source': 'file' }, {}),
          ownerReferences: () => list(() => some({ kind: () => pick('ReplicaSet', 'Job'), name, controller: flag })),
        }),
      spec: () =>
        some({
          nodeName: name,
          restartPolicy: () => pick('Always', 'Never', 'OnFailure'),
          containers: () => list(container),
          initContainers: () => list(container),
          readinessGates: () => list(() => some({ conditionType: text })),
          schedulingGates: () => list(() => some({ name })),
          activeDeadlineSeconds: number,
        }),
      status: () =>
        some({
          phase: () => pick('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown', 'Other'),
          reason: podReason,
          message: text,
          resize: () => pick('Proposed', 'Other'),
          startTime: time,
          nominatedNodeName: name,
          conditions: () => list(() => some({ type: conditionType, status, reason: podReason, message: text, lastTransitionTime: time })),
          containerStatuses: () => list(containerStatus),
          initContainerStatuses: () => list(containerStatus),
        }),
    }) as Pod;
  const eventReason = () => pick('FailedScheduling', 'FailedMount', 'Unhealthy', 'Pulling', 'Failed', 'Killing', 'NodeNotReady');
  const event = () =>
    some({
      reason: eventReason,
      message: () =>
        pick('Readiness probe failed: x', 'Startup probe failed', 'Failed to pull image "a"', 'Container a failed liveness probe', text()),
      count: number,
      lastTimestamp: time,
      eventTime: time,
      series: () => some({ count: number, lastObservedTime: time }),
      involvedObject: () => some({ kind: () => 'Pod', name, fieldPath: () => pick('spec.containers{a}', 'spec') }),
    }) as PodEvent;
  return { pod, events: () => list(event) as PodEvent[] };
}

/** What is wrong with the explanation; undefined if nothing is. */
function problemOf({ sentence, ...rest }: PodStateExplanation): string | undefined {
  if (!/^[A-Z].*[^. ]\.$/.test(sentence)) return `not a sentence: ${sentence}`;
  const text = JSON.stringify([sentence, rest]);
  return /undefined|NaN|null|<invalid>/.test(text) ? `an absent value: ${text}` : undefined;
}

it('explains any pod in one sentence', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  const { pod, events } = generator(seededRandom(seed));
  const states = new Set<string>();
  // Rare states take more pods.
  for (let i = 0; i < 1_000 || (states.size < 18 && i < 20_000); i++) {
    const [each, about] = [pod(), events()];
    const where = () => `SEED=${seed}, pod ${i}: ${JSON.stringify(each)} ${JSON.stringify(about)}`;
    try {
      nextRestarts(each, now, { events: about });
      podColumns(each, now);
      const explanation = explainPod(each, { now, events: about });
      states.add(explanation.state);
      const problem = problemOf(explanation);
      if (problem !== undefined) throw new Error(problem);
    } catch (cause) {
      throw new Error(where(), { cause });
    }
  }
  expect(states.size, `SEED=${seed}: ${[...states]}`).toBeGreaterThanOrEqual(18);
});
