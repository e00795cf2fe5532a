import type { PodStatus } from '@nodeagent/api';

/** Whether the agent rejected the pod at its admission. */
export const isRejected = (status: PodStatus | undefined): boolean => status?.message?.startsWith('Pod was rejected: ') ?? false;
