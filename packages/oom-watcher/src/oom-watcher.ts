import { createRunLoop, type EventRecorder, invalidOption, type Logger, noEvents, type Startable, silentLogger } from '@nodeagent/api';
import { defaultNodeName } from '@nodeagent/api/helpers';
import type { KernelLog } from './kernel-log.js';
import { isSystemOom, nextOom, type Oom, type OomState, systemOomMessage } from './next-oom.js';

/** Options of {@link createOomWatcher}. */
export interface OomWatcherOptions {
  /** The source of kernel messages: `createKernelLog()` of `@nodeagent/oom-watcher/node`. */
  kernelLog: KernelLog;
  /** The Node of events. Default: the machine's host name. */
  nodeName?: string;
  recorder?: EventRecorder;
  logger?: Logger;
  /** Called for each OOM kill, also for those in a cgroup at its own limit, such as a container's. Must not throw. */
  onOom?(oom: Oom): void;
}

/** Reports OOM kills of the kernel. */
export interface OomWatcher extends Startable {
  /**
   * Rejects with the error of the kernel log, such as `KernelLogUnavailable`, which the watcher does not log itself; it may then be called
   * again. An error after the start is logged as a warning and ends the watch.
   */
  start(signal?: AbortSignal): Promise<void>;
}

/** Creates an {@link OomWatcher}. Does no I/O. Throws `InvalidOption` naming the field. */
export function createOomWatcher(options: OomWatcherOptions): OomWatcher {
  const { nodeName = defaultNodeName(), kernelLog, recorder = noEvents, logger = silentLogger, onOom } = options;
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  if (typeof kernelLog?.open !== 'function')
    throw invalidOption('kernelLog', 'a kernel log, such as createKernelLog() of @nodeagent/oom-watcher/node', kernelLog);
  const node = { kind: 'Node', name: nodeName, uid: nodeName };

  const report = (oom: Oom) => {
    if (isSystemOom(oom)) recorder.event(node, 'Warning', 'SystemOOM', systemOomMessage(oom));
    const { processName, pid, limitCgroup, victimCgroup } = oom;
    logger.info({ processName, pid, limitCgroup, victimCgroup }, 'the kernel OOM-killed a process');
    onOom?.(oom);
  };
  let opened: ((error?: unknown) => void) | undefined;
  const loop = createRunLoop(async (signal) => {
    let isOpen = false;
    try {
      const messages = await kernelLog.open(signal);
      isOpen = true;
      opened?.();
      let state: OomState;
      for await (const message of messages) {
        const next = nextOom(state, message);
        state = next.state;
        if (next.oom) report(next.oom);
        if (signal.aborted) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isOpen) logger.warn({ err: error }, 'cannot watch for OOM kills');
      else opened?.(error);
    } finally {
      opened?.();
    }
  });

  return {
    async start(signal) {
      if (loop.isRunning) return;
      const failure = new Promise<unknown>((resolve) => {
        opened = resolve;
      });
      await loop.start(signal);
      if (!loop.isRunning) return;
      const error = await failure;
      if (error === undefined || signal?.aborted) return;
      await loop.stop();
      throw error;
    },
    stop: loop.stop,
  };
}
