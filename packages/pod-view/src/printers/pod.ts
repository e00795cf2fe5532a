import type { Pod } from '@nodeagent/api';
import { podColumns } from '../pod-columns.js';
import { printer, type TableRowCondition } from './printer.js';

function podConditions({ status }: Pod): TableRowCondition[] {
  const row = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }];
  if (status?.phase === 'Succeeded') return row('Succeeded', 'The pod has completed successfully.');
  return status?.phase === 'Failed' ? row('Failed', 'The pod failed.') : [];
}

/** Pods, as `kubectl get pods` shows them. */
export const podPrinter = printer(
  'Name, Ready, Status, Restarts, Age, IP*, Node*, Nominated Node*, Readiness Gates*',
  (pod, now) => Object.values(podColumns(pod as Pod, now)),
  (pod) => podConditions(pod as Pod),
);
