import { type EvictionReserve, NodeAgentError, type ResourceList } from '@nodeagent/api';
import { parseResourceList, Quantity, type ResourceQuantities } from '@nodeagent/api/helpers';
import { nodeStatusErrorCodes } from '../errors.js';

export interface ReservationInput {
  capacity: ResourceList;
  systemReserved?: ResourceList;
  kubeReserved?: ResourceList;
  /** Hard eviction thresholds; the last one of a resource counts. */
  evictionReserves?: readonly EvictionReserve[];
}

/**
 * The part of the node's resources that pods may not use: reservations for the system and for Kubernetes, and hard eviction thresholds.
 * Resources without a reservation, or that the node lacks, are absent. Kubernetes documentation, "Reserve Compute Resources for System
 * Daemons". Throws `InvalidQuantity`.
 */
export function nodeReservation(input: ReservationInput): ResourceQuantities {
  const capacity = parseResourceList(input.capacity);
  const parts = [parseResourceList(input.systemReserved), parseResourceList(input.kubeReserved), reservesByResource(input, capacity)];
  const reservation: ResourceQuantities = new Map();
  for (const name of capacity.keys()) {
    const sum = parts.reduce((total, part) => total.add(part.get(name) ?? Quantity.zero), Quantity.zero);
    if (!sum.isZero) reservation.set(name, sum);
  }
  return reservation;
}

/** Throws `InvalidNodeAllocatable` if reservations exceed the capacity; an agent then refuses to start. */
export function validateReservation(capacity: ResourceList, reservation: ReadonlyMap<string, Quantity>): void {
  const total = parseResourceList(capacity);
  const exceeded = [...reservation].filter(([name, reserved]) => reserved.cmp(total.get(name) ?? Quantity.zero) > 0);
  if (exceeded.length === 0) return;
  const texts = exceeded.map(
    ([name, reserved]) =>
      `Resource "${name}" has a reservation of ${reserved} but capacity of ${total.get(name) ?? Quantity.zero}. Expected capacity >= reservation.`,
  );
  throw new NodeAgentError(nodeStatusErrorCodes.invalidReservation, `invalid Node Allocatable configuration. ${texts.join(' ')}`, {
    hint: 'Lower systemReserved, kubeReserved or the hard eviction thresholds of the resource.',
    details: { resources: exceeded.map(([name]) => name) },
  });
}

/** The amount, at min zero. */
export function notNegative(amount: Quantity): Quantity {
  return amount.sign < 0 ? Quantity.of(0, amount.format) : amount;
}

function reservesByResource({ evictionReserves = [] }: ReservationInput, capacity: ResourceQuantities): ResourceQuantities {
  return new Map(
    evictionReserves.map(({ resource, value }) => [
      resource,
      'quantity' in value ? Quantity.parse(value.quantity) : partOf(capacity.get(resource), value.percentage),
    ]),
  );
}

/** Percentages are 32-bit floating point numbers, as in the kubelet. */
function partOf(capacity: Quantity = Quantity.zero, percentage: number): Quantity {
  return Quantity.of(Math.trunc(Number(capacity.value()) * Math.fround(percentage)), 'BinarySI');
}
