import {
  type Clock,
  type Container,
  type Pod,
  type Probe,
  type ProbeManager,
  type ProbeResult,
  type ProbeUpdate,
  type ProbeUpdates,
  podUid,
  type Timer,
} from '@nodeagent/api';
import type { ProbePorts } from './subject.js';

/** The ports of {@link createTestProbeManager}. */
export interface TestProbeManagerPorts extends ProbePorts {
  clock: Pick<Clock, 'now' | 'setTimeout'>;
}

const bare = (containerId: string) => containerId.replace(/^.*:\/\//, '');

/** A probe manager that runs exec probes only. */
export function createTestProbeManager({ podStatus, runInContainer, clock }: TestProbeManagerPorts): ProbeManager {
  const startedAt = clock.now();
  const results = {
    Liveness: new Map<string, ProbeResult>(),
    Readiness: new Map<string, ProbeResult>(),
    Startup: new Map<string, ProbeResult>(),
  };
  const waiting = new Map<string, ProbeUpdate>();
  const updates: ProbeUpdates = {
    onOffer: undefined,
    poll() {
      for (const [key, update] of waiting) {
        waiting.delete(key);
        return update;
      }
      return undefined;
    },
  };
  const workers = new Map<string, Worker>();

  const publish = (update: ProbeUpdate) => {
    if (results[update.type].get(bare(update.containerId)) === update.result) return;
    results[update.type].set(bare(update.containerId), update.result);
    waiting.set(`${update.type} ${update.containerId}`, update);
    updates.onOffer?.();
  };

  class Worker {
    #timer: Timer | undefined;
    #containerId = '';
    #failures = 0;
    readonly #abort = new AbortController();

    constructor(
      readonly pod: Pod,
      readonly container: Container,
      readonly type: ProbeUpdate['type'],
      readonly probe: Probe,
    ) {
      this.trigger();
    }

    /** Starts the next probe now, and the following one a period later. */
    trigger(): void {
      this.#timer?.cancel();
      if (this.#abort.signal.aborted) return;
      this.#timer = clock.setTimeout(() => this.trigger(), (this.probe.periodSeconds ?? 10) * 1000);
      void this.#probe();
    }

    stop(): void {
      this.#abort.abort(new Error('the probe ends'));
      this.#timer?.cancel();
      results[this.type].delete(bare(this.#containerId));
    }

    async #probe(): Promise<void> {
      const observed = podStatus(podUid(this.pod))?.containerStatuses?.find(({ name }) => name === this.container.name);
      const { containerID: containerId = '', started, state } = observed ?? {};
      if (!state?.running || (started === true) === (this.type === 'Startup')) return;
      if (containerId !== this.#containerId) results[this.type].delete(bare(this.#containerId));
      this.#containerId = containerId;
      const { signal } = this.#abort;
      const command = this.probe.exec?.command ?? [];
      const exitCode = await runInContainer(bare(containerId), command, { signal }).then(
        (answer) => answer.exitCode,
        () => 1,
      );
      if (signal.aborted || containerId !== this.#containerId) return;
      this.#failures = exitCode === 0 ? 0 : this.#failures + 1;
      const podUidOf = podUid(this.pod);
      if (exitCode === 0) publish({ type: this.type, podUid: podUidOf, containerId, result: 'Success' });
      else if (this.#failures >= (this.probe.failureThreshold ?? 3)) {
        publish({ type: this.type, podUid: podUidOf, containerId, result: 'Failure' });
      }
    }
  }

  const keyOf = (uid: string, name: string, type: string) => `${uid}/${name}/${type}`;
  const end = (matches: (worker: Worker) => boolean) => {
    for (const [key, worker] of workers) {
      if (!matches(worker)) continue;
      workers.delete(key);
      worker.stop();
    }
  };
  return {
    updates,
    results: {
      liveness: (id) => results.Liveness.get(id),
      readiness: (id) => results.Readiness.get(id),
      startup: (id) => results.Startup.get(id),
    },
    view: (pod) => ({
      startedAt,
      readiness: (id) => results.Readiness.get(bare(id)),
      startup: (id) => results.Startup.get(bare(id)),
      hasWorker: (name, kind) => workers.has(keyOf(podUid(pod), name, kind === 'startup' ? 'Startup' : 'Readiness')),
    }),
    addPod(pod) {
      for (const container of pod.spec?.containers ?? []) {
        const { startupProbe: Startup, readinessProbe: Readiness, livenessProbe: Liveness } = container;
        for (const [type, probe] of Object.entries({ Startup, Readiness, Liveness })) {
          const key = keyOf(podUid(pod), container.name, type);
          if (probe && !workers.has(key)) workers.set(key, new Worker(pod, container, type as ProbeUpdate['type'], probe));
        }
      }
    },
    probeNow(pod, names) {
      for (const name of names) workers.get(keyOf(podUid(pod), name, 'Readiness'))?.trigger();
    },
    stopLivenessAndStartup: (pod) => end((worker) => podUid(worker.pod) === podUid(pod) && worker.type !== 'Readiness'),
    removePod: (pod) => end((worker) => podUid(worker.pod) === podUid(pod)),
    cleanupPods: (desired) => end((worker) => !desired.has(podUid(worker.pod))),
    stop: async () => end(() => true),
  };
}
