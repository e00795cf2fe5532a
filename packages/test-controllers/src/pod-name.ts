import type { Pod } from '@nodeagent/api';

/** Name of a pod. */
export interface PodName {
  namespace: string;
  name: string;
}

export const podKey = ({ namespace, name }: PodName): string => `${namespace}/${name}`;

export function podNameOf({ metadata }: Pick<Pod, 'metadata'>): PodName {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
}
