import type { ProbeManager, ProbeUpdate } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { bare, ProbeResults } from './probe-results-double.js';
import { type TestProbePorts, TestProbeWorker } from './probe-worker-double.js';

/** A probe manager that runs exec probes only. */
export function createTestProbeManager(ports: TestProbePorts): ProbeManager {
  const startedAt = ports.clock.now();
  const results = new ProbeResults();
  const workers = new Map<string, TestProbeWorker>();
  const keyOf = (uid: string, name: string, type: string) => `${uid}/${name}/${type}`;
  const end = (matches: (worker: TestProbeWorker['probed']) => boolean) => {
    for (const [key, worker] of workers) {
      if (!matches(worker.probed)) continue;
      workers.delete(key);
      worker.stop();
    }
  };
  return {
    updates: results.updates,
    results: {
      liveness: (id) => results.get('Liveness', id),
      readiness: (id) => results.get('Readiness', id),
      startup: (id) => results.get('Startup', id),
    },
    view: (pod) => ({
      startedAt,
      readiness: (id) => results.get('Readiness', bare(id)),
      startup: (id) => results.get('Startup', bare(id)),
      hasWorker: (name, kind) => workers.has(keyOf(podUid(pod), name, kind === 'startup' ? 'Startup' : 'Readiness')),
    }),
    addPod(pod) {
      for (const container of pod.spec?.containers ?? []) {
        const { startupProbe: Startup, readinessProbe: Readiness, livenessProbe: Liveness } = container;
        for (const [key, probe] of Object.entries({ Startup, Readiness, Liveness })) {
          const type = key as ProbeUpdate['type'];
          const worker = keyOf(podUid(pod), container.name, type);
          if (probe && !workers.has(worker)) workers.set(worker, new TestProbeWorker({ pod, container, type, probe }, ports, results));
        }
      }
    },
    probeNow(pod, names) {
      for (const name of names) workers.get(keyOf(podUid(pod), name, 'Readiness'))?.trigger();
    },
    stopLivenessAndStartup: (pod) => end((probed) => podUid(probed.pod) === podUid(pod) && probed.type !== 'Readiness'),
    removePod: (pod) => end((probed) => podUid(probed.pod) === podUid(pod)),
    cleanupPods: (desired) => end(({ pod }) => !desired.has(podUid(pod))),
    stop: async () => end(() => true),
  };
}
