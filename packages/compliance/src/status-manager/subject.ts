import type { ContainerStatus, Pod, PodStatus, StatusManager } from '@nodeagent/api';
import type { SuiteCase } from '../suite/suite.js';
import { suitePod } from '../support/pods.js';
import type { Advance } from '../support/waiting.js';

/** A status manager under test. The suite does not start it, and needs no API server. */
export interface StatusManagerSubject {
  manager: StatusManager;
  /** Makes the pod, and the mirror pod of a static pod, known to the manager. */
  addPod(pod: Pod, mirrorPod?: Pod): void;
  /** Advances the clock of the manager's timestamps. */
  advance: Advance;
}

/** The argument of a case. */
export interface StatusSession extends StatusManagerSubject {
  /** A known pod, `uid-web`, with a container `main`. */
  pod: Pod;
  /** What listeners received since the last call, as `<uid> <phase>`. */
  taken(): string[];
}

/** A case of the status manager's suite. */
export function statusCase(name: string, run: (session: StatusSession) => Promise<void>): SuiteCase<StatusManagerSubject> {
  return {
    name,
    run(subject) {
      const received: string[] = [];
      subject.manager.onStatus((uid, status) => received.push(`${uid} ${status === undefined ? 'dropped' : status.phase}`));
      const pod = suitePod('web');
      subject.addPod(pod);
      return run({ ...subject, pod, taken: () => received.splice(0) });
    },
  };
}

export const mainId = 'memory://main-0';

/** The status of the container `main`: running, not ready, not started. */
export function mainStatus(fields: Partial<ContainerStatus> = {}): ContainerStatus {
  return {
    name: 'main',
    state: { running: { startedAt: '2026-01-01T00:00:01Z' } },
    lastState: {},
    ready: false,
    started: false,
    restartCount: 0,
    image: 'main:1',
    imageID: 'main@sha256:1',
    containerID: mainId,
    ...fields,
  };
}

/** A complete running status, a new object for each call. */
export function runningStatus(main: Partial<ContainerStatus> = {}, fields: Partial<PodStatus> = {}): PodStatus {
  const status = main.ready ? 'True' : 'False';
  return {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status },
      { type: 'ContainersReady', status },
    ],
    containerStatuses: [mainStatus(main)],
    ...fields,
  };
}
