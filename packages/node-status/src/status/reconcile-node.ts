import type { Node, ResourceList } from '@nodeagent/api';
import { isExtendedResource, isHugePages } from '@nodeagent/api/helpers';
import { attachDetachAnnotation } from './initial-node.js';
import { sameQuantity } from './semantic-equal.js';

/** Labels that the agent reconciles; it leaves all other labels alone. */
const defaultLabels = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];

/**
 * Updates an existing Node when its agent registers again: the annotation, the default labels and the huge pages are the agent's. With
 * `resetExtendedResources`, for a new machine, extended resources are 0 until device plugins register again. Returns the same object if
 * nothing changes.
 */
export function reconcileNode(existing: Node, initial: Node, { resetExtendedResources = false } = {}): Node {
  const steps = [reconcileAnnotation, reconcileLabels, reconcileResources, ...(resetExtendedResources ? [zeroExtendedResources] : [])];
  return [...steps, reconcileHugePages].reduce((node, step) => step(node, initial), existing);
}

function reconcileAnnotation(node: Node, initial: Node): Node {
  const wanted = initial.metadata?.annotations?.[attachDetachAnnotation];
  const { [attachDetachAnnotation]: present, ...others } = node.metadata?.annotations ?? {};
  if (wanted === present) return node;
  const annotations = wanted === undefined ? others : { ...others, [attachDetachAnnotation]: wanted };
  return { ...node, metadata: { ...node.metadata, annotations } };
}

function reconcileLabels(node: Node, initial: Node): Node {
  const labels = { ...node.metadata?.labels };
  let changed = false;
  for (const name of defaultLabels) {
    const wanted = initial.metadata?.labels?.[name];
    if (wanted === undefined || (labels[name] ?? '') === wanted) continue;
    changed = true;
    if (wanted === '') delete labels[name];
    else labels[name] = wanted;
  }
  return changed ? { ...node, metadata: { ...node.metadata, labels } } : node;
}

/** A Node created by another component has no resources yet. */
function reconcileResources(node: Node, initial: Node): Node {
  const { capacity, allocatable } = initial.status ?? {};
  const lacking = {
    ...(node.status?.capacity === undefined && capacity && { capacity }),
    ...(node.status?.allocatable === undefined && allocatable && { allocatable }),
  };
  return Object.keys(lacking).length === 0 ? node : { ...node, status: { ...node.status, ...lacking } };
}

function zeroExtendedResources(node: Node): Node {
  const { capacity, allocatable } = node.status ?? {};
  const names = Object.keys(capacity ?? {}).filter(isExtendedResource);
  if (names.length === 0) return node;
  const zeroes = Object.fromEntries(names.map((name) => [name, '0']));
  return { ...node, status: { ...node.status, capacity: { ...capacity, ...zeroes }, allocatable: { ...allocatable, ...zeroes } } };
}

function reconcileHugePages(node: Node, initial: Node): Node {
  const capacity = withHugePages(node.status?.capacity, initial.status?.capacity);
  const allocatable = withHugePages(node.status?.allocatable, initial.status?.allocatable);
  if (capacity === node.status?.capacity && allocatable === node.status?.allocatable) return node;
  return { ...node, status: { ...node.status, ...(capacity && { capacity }), ...(allocatable && { allocatable }) } };
}

/** The list with the huge pages of the other list; the same object if they are equal. */
function withHugePages(list: ResourceList | undefined, wanted: ResourceList = {}): ResourceList | undefined {
  const sizes = new Set([...Object.keys(list ?? {}), ...Object.keys(wanted)].filter(isHugePages));
  const isSame = [...sizes].every((name) => {
    const [present, desired] = [list?.[name], wanted[name]];
    return present !== undefined && desired !== undefined && sameQuantity(present, desired);
  });
  if (isSame) return list;
  const others = Object.entries(list ?? {}).filter(([name]) => !isHugePages(name));
  return Object.fromEntries([...others, ...Object.entries(wanted).filter(([name]) => isHugePages(name))]);
}
