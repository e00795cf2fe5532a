import { type Clock, errorMessage, type Logger, type Runtime, type Timer } from '@nodeagent/api';

/** Watches whether the runtime serves, and says why not. */
export interface RuntimeMonitor {
  start(): void;
  stop(): void;
  /** Why pods cannot be worked on now; empty when they can. */
  runtimeErrors(): string[];
  /** Why pods without the host's network cannot start; undefined when they can. */
  networkError(): string | undefined;
}

export interface RuntimeMonitorOptions {
  runtime: Pick<Runtime, 'checkRuntime' | 'status'>;
  /** Why the pod lifecycle event generator is not healthy. */
  plegError: () => string | undefined;
  clock: Clock;
  logger: Logger;
  periodMs: number;
  thresholdMs: number;
  /** Called when the runtime's errors changed. */
  onChange: (errors: string[]) => void;
}

const startUpMs = 5_000;

/**
 * Asks the runtime for its status every `periodMs`. It counts as down when its last good answer is older than `thresholdMs`, when
 * it says itself that it is not ready, or when the PLEG is unhealthy: the kubelet's runtime state.
 */

export function createRuntimeMonitor(options: RuntimeMonitorOptions): RuntimeMonitor {
  const { runtime, plegError, clock, logger, periodMs, thresholdMs, onChange } = options;
  let timer: Timer | undefined;
  let running = false;
  let versionChecked = false;
  let lastAnswer: number | undefined;
  let lastFailure = '';
  let notReady = '';
  let network: string | undefined = 'container runtime network status is not known yet';
  let reported: string | undefined;
  let startedAt = 0;

  /** The first relist has a moment to come back before its absence counts. */
  const isStarting = () => clock.monotonic() - startedAt < startUpMs;

  const runtimeErrors = () => {
    const errors: string[] = [];
    if (lastAnswer === undefined) errors.push(lastFailure || 'container runtime status check may not have completed yet');
    else if (clock.monotonic() - lastAnswer > thresholdMs) errors.push(lastFailure || 'container runtime is down');
    if (notReady) errors.push(`container runtime not ready: ${notReady}`);
    const pleg = plegError();
    if (pleg && !isStarting()) errors.push(`PLEG is not healthy: ${pleg}`);
    return errors;
  };

  const check = async () => {
    try {
      if (!versionChecked) await runtime.checkRuntime();
      versionChecked = true;
      const health = await runtime.status();
      lastAnswer = clock.monotonic();
      lastFailure = '';
      notReady = health.runtimeReady ? '' : health.runtimeMessage;
      network = health.networkReady ? undefined : `container runtime network not ready: ${health.networkMessage}`;
    } catch (error) {
      const failure = errorMessage(error);
      const hint = (error as { hint?: string }).hint;
      if (failure !== lastFailure) logger.warn({ hint }, `container runtime does not answer: ${failure}`);
      lastFailure = hint ? `${failure} (${hint})` : failure;
    }
    const errors = runtimeErrors();
    const text = JSON.stringify(errors);
    if (text !== reported) {
      reported = text;
      onChange(errors);
    }
    if (running) timer = clock.setTimeout(check, lastAnswer === undefined ? Math.min(1_000, periodMs) : periodMs);
  };

  return {
    start() {
      if (running) return;
      running = true;
      startedAt = clock.monotonic();
      void check();
    },
    stop() {
      running = false;
      timer?.cancel();
    },
    runtimeErrors,
    networkError: () => network,
  };
}
