import { updateContainerFsThresholds } from './container-fs-thresholds.js';
import type { FileSystemLayout } from './file-systems.js';
import type { ResolvedOptions } from './options.js';
import type { Threshold } from './threshold.js';
import { timedCall } from './timed-call.js';

/** The thresholds of a node, which depend on the layout of its file systems. */
export interface NodeThresholds {
  readonly thresholds: readonly Threshold[];
  /** Undefined until it is detected. */
  readonly layout: FileSystemLayout | undefined;
  /**
   * The thresholds for an evaluation. Those derived for the containers' file system apply from the second evaluation on, as in the kubelet.
   * Rejects if the layout cannot be determined.
   */
  current(signal: AbortSignal): Promise<{ thresholds: readonly Threshold[]; layout: FileSystemLayout }>;
}

export function createNodeThresholds(
  options: Pick<ResolvedOptions, 'thresholds' | 'fileSystems' | 'clock' | 'logger' | 'settings'>,
): NodeThresholds {
  const { fileSystems, clock, logger } = options;
  let { thresholds } = options;
  let layout: FileSystemLayout | undefined;

  async function detectLayout(signal: AbortSignal): Promise<FileSystemLayout> {
    const limits = { clock, timeoutMs: options.settings.summaryTimeoutMs, signal };
    const dedicatedImageFs = await timedCall({ ...limits, what: 'layout of the file systems' }, (limited) =>
      fileSystems.hasDedicatedImageFs(limited),
    );
    try {
      const splitContainerFs = await timedCall({ ...limits, what: 'file system of containers' }, (limited) =>
        fileSystems.hasDedicatedContainerFs(limited),
      );
      return { dedicatedImageFs, splitContainerFs };
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error }, 'cannot determine the file system of containers, using that of images');
      return { dedicatedImageFs, splitContainerFs: false };
    }
  }

  return {
    get thresholds() {
      return thresholds;
    },
    get layout() {
      return layout;
    },
    async current(signal) {
      if (layout !== undefined) return { thresholds, layout };
      layout = await detectLayout(signal);
      const updated = updateContainerFsThresholds(thresholds, layout);
      for (const { signal: name } of updated.conflicts) logger.warn(`the threshold of ${name} is derived from the file systems`);
      const configured = thresholds.length;
      thresholds = updated.thresholds;
      return { thresholds: thresholds.slice(0, configured), layout };
    },
  };
}
