import type { ResourceClaim } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { type Amounts, addAmounts } from './capacity.js';

/** The devices that allocated claims use, by `driver/pool/device`. */
export interface DevicesInUse {
  /** Devices that no other claim can have. */
  exclusive: ReadonlySet<string>;
  /** What is in use of devices that claims share. */
  shared: ReadonlyMap<string, Amounts>;
}

/** The devices of all claims. Access of administrators leaves a device free. */
export function devicesInUse(claims: Iterable<ResourceClaim>): DevicesInUse {
  const exclusive = new Set<string>();
  const shared = new Map<string, Amounts>();
  for (const { status } of claims) {
    for (const { driver, pool, device, adminAccess, shareID, consumedCapacity = {} } of status?.allocation?.devices?.results ?? []) {
      if (adminAccess) continue;
      const id = `${driver}/${pool}/${device}`;
      if (shareID === undefined) exclusive.add(id);
      else {
        const amounts = new Map(Object.entries(consumedCapacity).map(([name, text]) => [name, Quantity.parse(text)]));
        shared.set(id, addAmounts(shared.get(id) ?? new Map(), amounts));
      }
    }
  }
  return { exclusive, shared };
}
