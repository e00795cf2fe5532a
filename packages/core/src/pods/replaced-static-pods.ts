import type { Logger, Pod, PodWorkers, Runtime, RuntimePod } from '@nodeagent/api';
import { configSourceAnnotation, podKey, podUid } from '@nodeagent/api/helpers';

export interface ReplacedStaticPodsOptions {
  runtime: Pick<Runtime, 'getPods'>;
  /** Whether a source has the pod. */
  isDesired(uid: string): boolean;
  podWorkers: Pick<PodWorkers, 'updatePod' | 'state' | 'isPodTerminationRequested'>;
  logger: Logger;
}

/** Whether the static pod must not start yet. */
export type MustWait = (staticPod: Pod) => boolean;

/**
 * Finds the running pods that new static pods replace: pods of the same name under another UID, from a version of the manifest that an
 * earlier agent started. A new pod waits until its predecessor has terminated.
 *
 * A predecessor from the source of the new pod is terminated at once, because that source no longer has it. Any other is left to housekeeping,
 * which waits for all sources. If the runtime cannot be listed, all new static pods wait. docs/decisions/0073.
 */
export function createReplacedStaticPods(options: ReplacedStaticPodsOptions): (added: readonly Pod[]) => Promise<MustWait> {
  const { runtime, isDesired, podWorkers, logger } = options;

  const terminate = (runningPod: RuntimePod) => {
    const { uid } = runningPod;
    if (podWorkers.isPodTerminationRequested(uid)) return;
    logger.info({ pod: podKey(runningPod), podUID: uid }, 'terminating the previous version of a static pod');
    // A worker knows the pod's grace period; of a pod that only the runtime knows, housekeeping would grant as much.
    const killOptions = podWorkers.state(uid) === undefined ? { gracePeriodOverride: 1 } : {};
    podWorkers.updatePod({ type: 'kill', runningPod, killOptions });
  };

  return async (added) => {
    if (added.length === 0) return () => false;
    let running: RuntimePod[];
    try {
      running = (await runtime.getPods(true)).filter(isRunning);
    } catch (error) {
      logger.warn({ err: error }, 'cannot list running pods; static pods wait until it is known that no previous version of them runs');
      return () => true;
    }
    return (pod) => {
      const source = pod.metadata?.annotations?.[configSourceAnnotation];
      const replaced = running.filter((other) => podKey(other) === podKey(pod) && other.uid !== podUid(pod) && !isDesired(other.uid));
      for (const previous of replaced) if (previous.configSource === source) terminate(previous);
      return replaced.some(({ configSource }) => configSource !== 'api');
    };
  };
}

function isRunning({ containers, sandboxes }: RuntimePod): boolean {
  return [...containers, ...sandboxes].some(({ state }) => state === 'running');
}
