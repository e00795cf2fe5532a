import type { Clock, Logger, Timer } from '@nodeagent/api';
import { podKey, podUid } from '@nodeagent/api/helpers';
import type { ViewedAgent } from './agent-view.js';
import { pullProgress } from './pull-progress.js';

const periodMs = 10_000;

/**
 * Logs the progress of image pulls every 10 s once they have lasted as long. No timer runs without a pull.
 * @returns a function that stops it
 */
export function logLongPulls(agent: ViewedAgent, logger: Logger, clock: Pick<Clock, 'now' | 'setTimeout'>): () => void {
  let timer: Timer | undefined;
  let ended = false;
  const check = () => {
    timer = undefined;
    const pulls = agent.pulls();
    const pods = new Map(agent.pods().map(({ pod }) => [podUid(pod), pod]));
    const now = clock.now();
    for (const pull of pulls) {
      const pod = pods.get(pull.podUid);
      if (pod !== undefined && now - pull.since >= periodMs) logger.info({ pod: podKey(pod) }, pullProgress(pull, pulls, now));
    }
    if (pulls.length > 0) scheduleCheck();
  };
  const scheduleCheck = () => {
    if (!ended) timer ??= clock.setTimeout(check, periodMs);
  };
  agent.on('event', ({ reason }) => {
    if (reason === 'Pulling') scheduleCheck();
  });
  return () => {
    ended = true;
    timer?.cancel();
  };
}
