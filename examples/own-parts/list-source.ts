import type { Pod, PodSource } from '@nodeagent/api';

/** Pods from code: whatever `set` was given last is what the node shall run. */
export interface ListSource extends PodSource {
  set(pods: Pod[]): void;
}

export function createListSource(): ListSource {
  let pods: Pod[] = [];
  const source: ListSource = {
    name: 'list',
    onPods: undefined,
    async start() {
      source.onPods?.(pods);
    },
    async stop() {},
    set(next) {
      pods = next;
      source.onPods?.(pods);
    },
  };
  return source;
}
