import { createRuntimeMonitor } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';

/** Checks the runtime's health. */
export function monitor(c: Components): AgentParts['monitor'] {
  const { settings, emitter, ended, runtime, imageManager } = c;
  const { clock, logger } = c.common;
  /** Resolves the pull intents of the previous run; once, when the runtime first answers. */
  const settlePulls = () =>
    imageManager
      .start(ended.signal)
      .catch((error) =>
        logger.debug({ err: error }, 'resolving the pull intents of the previous run failed; the next status check retries'),
      );
  return createRuntimeMonitor({
    runtime,
    plegError: () => c.pleg.unhealthyReason(),
    clock,
    logger,
    runtimeStatusPeriodMs: settings.runtimeStatusPeriodMs,
    runtimeStatusThresholdMs: settings.runtimeStatusThresholdMs,
    onChange: (errors) => {
      c.syncLoop.trigger();
      emitter.emit('runtime', errors);
      if (errors.length > 0) return;
      void settlePulls();
      void c.eviction?.start(ended.signal);
    },
  });
}
