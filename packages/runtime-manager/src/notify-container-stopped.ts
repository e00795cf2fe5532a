import type { RuntimeContext } from './runtime-context.js';

/** Tells that a container does not run any more. A failure is logged: it must not hold up anything. */
export async function containerStopped({ ports, logger }: Pick<RuntimeContext, 'ports' | 'logger'>, containerId: string): Promise<void> {
  try {
    await ports.containerLifecycle?.postStop?.(containerId);
  } catch (error) {
    logger.warn({ containerID: containerId, err: error }, 'what follows the end of a container failed');
  }
}
