import { fnv1a32 } from '@nodeagent/api/helpers';
import type { PodTemplate } from './objects.js';

/** The label with the hash of a Deployment's template, which the hash excludes. */
export const hashLabel = 'pod-template-hash';

/** The content of a template that makes it another one. */
export function withoutHash({ metadata, spec }: PodTemplate): unknown {
  const { [hashLabel]: _, ...labels } = metadata?.labels ?? {};
  const { creationTimestamp: __, ...rest } = metadata ?? {};
  return { metadata: { ...rest, labels }, spec };
}

/** A short hash of a template, without vowels; another one for each number of collisions. */
export function templateHash(template: PodTemplate, collisionCount = 0): string {
  const digits = fnv1a32(JSON.stringify(withoutHash(template)) + (collisionCount || '')).toString();
  return Array.from(digits, (digit) => 'bcdf456789'[Number(digit)]).join('');
}
