import { formatResourceList, type Node, type NodeFeatures } from '@nodeagent/api';
import { type CapacityInput, machineCapacity, nodeCapacity } from './capacity.js';
import { type InitialNodeInput, initialNode } from './initial-node.js';
import { nodeReservation, type ReservationInput, validateReservation } from './reservation.js';

export type StandaloneNodeInput = InitialNodeInput &
  Pick<CapacityInput, 'machine' | 'maxPods' | 'podsPerCore'> &
  Pick<ReservationInput, 'systemReserved' | 'kubeReserved' | 'evictionReserves'> & { features?: NodeFeatures };

/**
 * The Node of an agent without a cluster, as far as the admission of pods depends on it: labels, taints, capacity, allocatable and features
 * are what the agent would register. Throws `InvalidNodeAllocatable` if more is reserved than there is.
 */
export function standaloneNode(input: StandaloneNodeInput): Node {
  const { features } = input;
  const capacity = formatResourceList(machineCapacity(input));
  const reservation = nodeReservation({ ...input, capacity });
  validateReservation(capacity, reservation);
  return { ...initialNode(input), status: { ...nodeCapacity({ ...input, reservation }), ...(features && { features }) } };
}
