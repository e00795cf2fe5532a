import type { Pod, PodSource } from '@nodeagent/api';

/** Pods from code: the last list that was passed to `set` is the desired state. */
export interface ListSource extends PodSource {
  set(pods: Pod[]): void;
}

export function createListSource(): ListSource {
  let pods: Pod[] = [];
  let isStarted = false;
  const source: ListSource = {
    name: 'list',
    onPods: undefined,
    async start(signal) {
      if (isStarted || signal?.aborted) return;
      isStarted = true;
      signal?.addEventListener('abort', () => void source.stop());
      source.onPods?.(pods);
    },
    async stop() {
      isStarted = false;
    },
    set(next) {
      pods = next;
      if (isStarted) source.onPods?.(pods);
    },
  };
  return source;
}
