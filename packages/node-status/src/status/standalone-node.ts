import type { Node, NodeFeatures } from '@nodeagent/api';
import { formatResourceList } from '@nodeagent/api/helpers';
import { type CapacityInput, machineCapacity, nodeCapacity } from './capacity.js';
import { type InitialNodeInput, initialNode } from './initial-node.js';
import { nodeReservation, type ReservationInput, validateReservation } from './reservation.js';

export type StandaloneNodeInput = InitialNodeInput &
  Pick<CapacityInput, 'machine' | 'maxPods' | 'podsPerCore'> &
  Pick<ReservationInput, 'systemReserved' | 'kubeReserved' | 'evictionReserves'> & { features?: NodeFeatures };

/**
 * The Node of an agent without a cluster, for the admission of pods: labels, taints, capacity, allocatable and features as the agent would
 * register them. Throws `InvalidNodeAllocatable` if reservations exceed the capacity.
 */
export function standaloneNode(input: StandaloneNodeInput): Node {
  const { features } = input;
  const capacity = formatResourceList(machineCapacity(input));
  const reservation = nodeReservation({ ...input, capacity });
  validateReservation(capacity, reservation);
  return { ...initialNode(input), status: { ...nodeCapacity({ ...input, reservation }), ...(features && { features }) } };
}
