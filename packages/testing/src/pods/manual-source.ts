import type { Pod, PodSource } from '@nodeagent/api';

/** A pod source that a test or a program feeds by hand. */
export interface ManualSource extends PodSource {
  /** Replaces the complete list; handed over at once, or at the start. */
  set(pods: readonly Pod[]): void;
}

/**
 * A pod source without a file, a server or a timer: `createManualSource([pod])`. By default it is called `file`, which makes its pods
 * static ones; those of a source called `api` belong to the API server.
 */
export function createManualSource(pods: readonly Pod[] = [], { name = 'file' }: { name?: string } = {}): ManualSource {
  let current = [...pods];
  let running = false;
  let listened: AbortSignal | undefined;
  const end = () => {
    running = false;
    listened?.removeEventListener('abort', end);
  };
  const source: ManualSource = {
    name,
    onPods: undefined,
    set(next) {
      current = [...next];
      if (running) source.onPods?.(current);
    },
    async start(signal) {
      if (running || signal?.aborted) return;
      running = true;
      listened = signal;
      listened?.addEventListener('abort', end, { once: true });
      source.onPods?.(current);
    },
    stop: async () => end(),
  };
  return source;
}
