import type { Container, Pod, PodStatus, Probe, ProbeManager, ProbeUpdate } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { SuiteCase } from '../suite/suite.js';
import { suitePod } from '../support/pods.js';
import { type Advance, eventually, settled } from '../support/waiting.js';

/** The ports that the suite passes to the probe manager. */
export interface ProbePorts {
  /** The status that the pod reports. */
  podStatus(uid: string): PodStatus | undefined;
  /**
   * Runs the command of an exec probe; exit code 0 is a success. The id is the runtime's, without `<runtime>://`. Rejects with the
   * signal's reason.
   */
  runInContainer(
    containerId: string,
    command: string[],
    options: { signal: AbortSignal },
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

/** A probe manager under test. Use a virtual clock: probes have periods of a second and more. */
export interface ProbeManagerSubject {
  create(ports: ProbePorts): ProbeManager;
  advance: Advance;
}

/** The argument of a case. Probes are one-word commands; the container `main` of the pod `web` has the id `web-0`. */
export interface ProbeSession {
  manager: ProbeManager;
  advance: Advance;
  /** Sets this container instance to running in the pod's status. */
  runs(pod: Pod, fields?: { instance?: number; started?: boolean }): void;
  /** Commands that fail. */
  failing: Set<string>;
  /** Commands that run until their signal aborts. */
  hanging: Set<string>;
  /** Probes so far, as `<container id> <command>`. */
  probes: string[];
  /** Advances the clock until the condition holds. */
  until(what: string, condition: () => unknown, limitMs?: number): Promise<void>;
  /** Takes all updates, as `<type> <container id> <result>`. */
  updates(): string[];
  settled<T>(promise: Promise<T>): Promise<T>;
}

/** A case of the probe manager's suite. */
export function probeCase(name: string, run: (session: ProbeSession) => Promise<void>): SuiteCase<ProbeManagerSubject> {
  return {
    name,
    async run({ create, advance }) {
      const session = openSession(create, advance);
      try {
        await run(session);
      } finally {
        await session.settled(session.manager.stop());
      }
    },
  };
}

/** A probe that runs a command every second, with thresholds of 1. */
export function execProbe(command: string, fields: Probe = {}): Probe {
  return { exec: { command: [command] }, periodSeconds: 1, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 1, ...fields };
}

/** A pod whose container `main` has these probes. */
export function probedPod(name: string, probes: Partial<Container>): Pod {
  return suitePod(name, { spec: { containers: [{ name: 'main', image: 'main:1', ...probes }] } });
}

function openSession(create: ProbeManagerSubject['create'], advance: Advance): ProbeSession {
  const statuses = new Map<string, PodStatus>();
  const [failing, hanging] = [new Set<string>(), new Set<string>()];
  const probes: string[] = [];
  const manager = create({
    podStatus: (uid) => statuses.get(uid),
    async runInContainer(containerId, [command = ''], { signal }) {
      probes.push(`${containerId} ${command}`);
      if (hanging.has(command)) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return { exitCode: failing.has(command) ? 1 : 0, stdout: '', stderr: '' };
    },
  });
  const until: ProbeSession['until'] = (what, condition, limitMs) => eventually(advance, what, condition, limitMs);
  return {
    manager,
    advance,
    failing,
    hanging,
    probes,
    until,
    runs(pod, { instance = 0, started = true } = {}) {
      const { name, uid = '' } = pod.metadata ?? {};
      const startedAt = formatTime(manager.view(pod).startedAt);
      const containerStatuses = (pod.spec?.containers ?? []).map((container) => ({
        name: container.name,
        containerID: `memory://${name}-${instance}`,
        ready: false,
        started,
        restartCount: instance,
        image: 'main:1',
        imageID: 'main:1',
        state: { running: { startedAt } },
      }));
      statuses.set(uid, { phase: 'Running', podIP: '10.0.0.7', containerStatuses });
    },
    updates() {
      const taken: string[] = [];
      for (let next: ProbeUpdate | undefined = manager.updates.poll(); next; next = manager.updates.poll()) {
        taken.push(`${next.type} ${next.containerId} ${next.result}`);
      }
      return taken;
    },
    settled: (promise) => settled(advance, 'the call settles', promise),
  };
}
