import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, list, text } from './read.js';
import { age, name, nameAndAge } from './workloads.js';

/** `pending`, `allocated`, `allocated,reserved`; a claim that is being deleted also is `deleted`, and no longer pending. */
function claimState(claim: JsonObject): string {
  const isDeleted = at(claim, 'metadata.deletionTimestamp') !== undefined;
  const isAllocated = at(claim, 'status.allocation') !== undefined;
  const isReserved = isAllocated && list(claim, 'status.reservedFor').length > 0;
  return Object.entries({ deleted: isDeleted, pending: !isDeleted && !isAllocated, allocated: isAllocated, reserved: isReserved })
    .flatMap(([state, isTrue]) => (isTrue ? [state] : []))
    .join(',');
}

/** The kinds of dynamic resource allocation. */
export const devicePrinters: Readonly<Record<string, TablePrinter>> = {
  'deviceclasses.resource.k8s.io': nameAndAge,
  'resourceclaims.resource.k8s.io': printer('Name, State, Age', (claim, now) => [name(claim), claimState(claim), age(claim, now)]),
  'resourceclaimtemplates.resource.k8s.io': nameAndAge,
  'resourceslices.resource.k8s.io': printer('Name, Node, Driver, Pool, Age', (slice, now) => [
    name(slice),
    text(slice, 'spec.nodeName'),
    text(slice, 'spec.driver'),
    text(slice, 'spec.pool.name'),
    age(slice, now),
  ]),
};
