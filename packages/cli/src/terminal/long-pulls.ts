import { type Clock, type Logger, podKey, podUid, type Timer } from '@nodeagent/api';
import type { ViewedAgent } from './agent-view.js';
import { pullProgress } from './pull-progress.js';

const periodMs = 10_000;

/**
 * Logs every 10 s what each image pull is at that has lasted as long. Nothing runs while there is no pull.
 *
 * @returns the function that ends it
 */
export function logLongPulls(agent: ViewedAgent, logger: Logger, clock: Pick<Clock, 'now' | 'setTimeout'>): () => void {
  let timer: Timer | undefined;
  let ended = false;
  const look = () => {
    timer = undefined;
    const pulls = agent.pulls();
    const pods = new Map(agent.pods().map(({ pod }) => [podUid(pod), pod]));
    const now = clock.now();
    for (const pull of pulls) {
      const pod = pods.get(pull.podUid);
      if (pod !== undefined && now - pull.since >= periodMs) logger.info({ pod: podKey(pod) }, pullProgress(pull, pulls, now));
    }
    if (pulls.length > 0) lookLater();
  };
  const lookLater = () => {
    if (!ended) timer ??= clock.setTimeout(look, periodMs);
  };
  agent.on('event', ({ reason }) => {
    if (reason === 'Pulling') lookLater();
  });
  return () => {
    ended = true;
    timer?.cancel();
  };
}
