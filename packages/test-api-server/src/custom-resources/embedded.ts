import { dnsSubdomainProblems, isObject } from '@nodeagent/api/helpers';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import { inside } from './schema.js';

/** Validates apiVersion, kind and metadata of an object within another one. Kubernetes documentation, "x-kubernetes-embedded-resource". */
export function embeddedProblems({ apiVersion, kind, metadata }: Record<string, unknown>, field: string): KindFieldProblem[] {
  const problems: KindFieldProblem[] = [];
  for (const [name, value] of Object.entries({ apiVersion, kind })) {
    if (typeof value === 'string' && value !== '') continue;
    problems.push({
      field: inside(field, name),
      problem: value === undefined || value === '' ? 'Required value: must not be empty' : 'Invalid value: must be a string',
    });
  }
  const name = isObject(metadata) ? metadata.name : undefined;
  if (typeof name === 'string') {
    for (const rule of dnsSubdomainProblems(name)) {
      problems.push({ field: inside(field, 'metadata.name'), problem: `Invalid value: ${JSON.stringify(name)}: ${rule}` });
    }
  }
  if (metadata !== undefined && !isObject(metadata)) {
    problems.push({ field: inside(field, 'metadata'), problem: 'Invalid value: must be an object' });
  }
  return problems;
}
