import type { RuntimeContext } from '../runtime-context.js';

/** Calls `containerLifecycle.postStop`. A failure is only logged: it must not block the sync or the removal. */
export async function notifyContainerStopped(
  { ports, logger }: Pick<RuntimeContext, 'ports' | 'logger'>,
  containerId: string,
): Promise<void> {
  try {
    await ports.containerLifecycle?.postStop?.(containerId);
  } catch (error) {
    logger.warn({ containerID: containerId, err: error }, 'postStop of the container failed');
  }
}
