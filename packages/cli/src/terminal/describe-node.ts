import type { AgentAnswer } from '../local-api/answers.js';
import { field, renderFields } from './fields.js';

/** The node of an agent as lines of text. */
export function describeNode({
  node,
  runtime,
  runtimeErrors,
  cluster,
  clusterError,
  certificates = {},
}: Omit<AgentAnswer, 'pulls'>): string[] {
  return renderFields([
    { key: 'Name', value: node },
    { key: 'Runtime', value: runtime },
    ...field('Runtime Errors', runtimeErrors.join('; ')),
    ...field('Cluster', cluster),
    ...field('Cluster Error', clusterError),
    ...field('Client Certificate', certificates.client),
    ...field('Serving Certificate', certificates.serving),
  ]);
}
