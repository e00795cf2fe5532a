import type { Pod } from '@nodeagent/api';

/** The JSON of a PodList. */
export const podList = (items: readonly Pod[]) => JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
