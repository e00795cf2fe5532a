import type { Pod, PodSource } from '@nodeagent/api';

/** A pod source whose list the caller sets. */
export interface ManualSource extends PodSource {
  /** Replaces the complete list; reported at once, or at the start. */
  set(pods: readonly Pod[]): void;
}

/**
 * Creates a pod source without a file, a server or a timer: `createManualSource([pod])`. Its default name is `file`, which makes its pods
 * static pods; pods of a source named `api` belong to the API server.
 */
export function createManualSource(pods: readonly Pod[] = [], options: { name?: string } = {}): ManualSource {
  const { name = 'file' } = options;
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
