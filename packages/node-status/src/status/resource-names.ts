import { qualifiedNameProblems } from '@nodeagent/api';

export const hugePagesPrefix = 'hugepages-';

/** Whether the resource is pages of memory of a fixed size, such as `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith(hugePagesPrefix);
}

/**
 * Whether the resource is one that Kubernetes does not know itself, such as `example.com/gpu`: a qualified name outside of
 * `kubernetes.io`. Kubernetes documentation, "Resource Management for Pods and Containers: Extended resources".
 */
export function isExtendedResource(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

/** Whether a node counts the resource as a whole number beside CPU, memory and ephemeral storage. */
export function isScalarResource(name: string): boolean {
  return isExtendedResource(name) || isHugePages(name) || name.includes('kubernetes.io/') || name.startsWith('attachable-volumes-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}
