import { isExtendedResource, isHugePages } from '@nodeagent/api/helpers';

/** Whether the scheduler's rules count the resource in whole units, as they do extended resources and huge pages. */
export function isScalarResource(name: string): boolean {
  return isExtendedResource(name) || isHugePages(name) || name.includes('kubernetes.io/') || name.startsWith('attachable-volumes-');
}
