import type { Pod, PodStatus } from '@nodeagent/api';
import { isMirrorPod, isStaticPod } from '@nodeagent/api/helpers';
import { type ContainerFacts, containerFacts } from '../containers/container-facts.js';
import { type ContainerRestart, type NextRestartsOptions, nextRestarts } from '../containers/next-restarts.js';
import { type EventFacts, eventsOf } from '../containers/pod-events.js';

/** Options of `explainPod`. */
export interface ExplainPodOptions extends NextRestartsOptions {
  /** The reference time, in milliseconds since 1970. */
  now: number;
}

/** What the explanations read. */
export interface PodFacts {
  pod: Pod;
  status: PodStatus;
  now: number;
  /** `The pod`, `The static pod`, `The mirror pod`. */
  subject: string;
  /** `node node-1`. */
  node: string;
  containers: readonly ContainerFacts[];
  restartOf(name: string): ContainerRestart | undefined;
  /** The newest event with one of the reasons, about this container if one is given, whose message starts with the text. */
  lastEvent(reasons: readonly string[], container?: string, text?: string): EventFacts | undefined;
}

export function podFacts(pod: Pod, options: ExplainPodOptions): PodFacts {
  const { now } = options;
  const events = eventsOf(pod, options.events ?? []);
  const restarts = nextRestarts(pod, now, options);
  return {
    pod,
    status: pod.status ?? {},
    now,
    subject: `The ${isMirrorPod(pod) ? 'mirror ' : isStaticPod(pod) ? 'static ' : ''}pod`,
    node: pod.spec?.nodeName ? `node ${pod.spec.nodeName}` : 'its node',
    containers: containerFacts(pod),
    restartOf: (name) => restarts.find(({ container }) => container === name),
    lastEvent: (reasons, container, text = '') =>
      events.find(
        (event) =>
          reasons.includes(event.reason) && (container === undefined || event.container === container) && event.message.startsWith(text),
      ),
  };
}
