import type { Pod } from '@nodeagent/api';
import { isCriticalPod } from '@nodeagent/api/helpers';

/** Whether `preemptor` may take the resources of `preemptee`. */
export function isPreemptable(preemptor: Pod, preemptee: Pod): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(preemptee)) return true;
  const [mine, its] = [preemptor.spec?.priority, preemptee.spec?.priority];
  return mine !== undefined && its !== undefined && mine > its;
}
