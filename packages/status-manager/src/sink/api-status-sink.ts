import { noMetrics, requirePositive, type StatusSink, silentLogger, systemClock, systemRandom } from '@nodeagent/api';
import type { ApiStatusSinkOptions } from './options.js';
import { type SinkRun, startSinkRun } from './sink-run.js';

/**
 * Writes statuses to the API server: a patch with the changed fields of each pod's newest status, and the final deletion when the pod has
 * terminated and its resources are released. It compares with the informer's copy, or with the response to its last patch if that is newer,
 * so it reads a pod only after a patch that got no answer: differences from an outdated copy would mix two statuses. While the API server is
 * unavailable it sends single attempts, then catches up at `requestsPerSecond`. After a refusal for one pod it retries after 10 s, doubled after
 * each further refusal, up to 1 min, with jitter.
 */
export function createApiStatusSink(options: ApiStatusSinkOptions): StatusSink {
  requirePositive('requestsPerSecond', options.requestsPerSecond);
  const { clock = systemClock, random = systemRandom, requestsPerSecond = 50, logger = silentLogger, metrics = noMetrics } = options;
  const syncDuration = metrics.histogram({
    name: 'kubelet_pod_status_sync_duration_seconds',
    help: 'Duration in seconds to sync a pod status update, from the first status that was not yet written to the answer.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  let run: SinkRun | undefined;

  return {
    async start(statuses) {
      run ??= startSinkRun({ ...options, clock, random, requestsPerSecond, logger, syncDuration }, statuses);
    },
    statusChanged: (uid) => run?.statusChanged(uid),
    async stop() {
      const ending = run;
      run = undefined;
      await ending?.end();
    },
  };
}
