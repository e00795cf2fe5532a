import { qualifiedNameProblems } from './names.js';

/** Whether the resource is huge pages of one size, such as `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/**
 * Whether the resource is an extended resource, such as `example.com/gpu`: a qualified name outside of `kubernetes.io`. Kubernetes
 * documentation, "Resource Management for Pods and Containers: Extended resources".
 */
export function isExtendedResource(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}
