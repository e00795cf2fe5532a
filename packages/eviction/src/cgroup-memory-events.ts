import { type FSWatcher, watch } from 'node:fs';
import { type Logger, silentLogger } from '@nodeagent/api';
import type { MemoryEvents } from './options.js';

/** Options of {@link createCgroupMemoryEvents}. */
export interface CgroupMemoryEventsOptions {
  /** The `memory.events` of a cgroup: `/sys/fs/cgroup/kubepods.slice/memory.events`. */
  path: string;
  logger?: Logger;
}

/**
 * Triggers an evaluation as soon as a cgroup reaches its memory limits, when the kernel marks `memory.events` as changed. Kernel
 * documentation, "Control Group v2: memory.events". Cgroup v1 has no such file: its notifications (`cgroup.event_control`) need an eventfd,
 * and the kernel's pressure triggers (`memory.pressure`) need poll(2); Node supports neither without native code. If the file cannot be
 * watched, this is logged, and the periodic evaluation continues.
 */
export function createCgroupMemoryEvents(options: CgroupMemoryEventsOptions): MemoryEvents {
  const { path, logger = silentLogger } = options;
  return {
    watch(onEvent, signal) {
      if (signal.aborted) return;
      const failed = (error: unknown) => logger.warn({ err: error, path }, 'cannot watch memory events');
      let watcher: FSWatcher;
      try {
        watcher = watch(path, { persistent: false });
      } catch (error) {
        return failed(error);
      }
      const close = () => watcher.close();
      signal.addEventListener('abort', close, { once: true });
      watcher.on('change', onEvent);
      watcher.on('error', (error) => {
        signal.removeEventListener('abort', close);
        watcher.close();
        failed(error);
      });
    },
  };
}
