import type { Device, ResourceSlice } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** Amounts by the names of the counter set and of the counter. */
export type Counters = Map<string, Quantity>;

type Consumption = Pick<Device, 'consumesCounters'>;

/** The counters that a device consumes. */
function* consumed({ consumesCounters = [] }: Consumption): Generator<[key: string, amount: Quantity]> {
  for (const { counterSet, counters } of consumesCounters) {
    for (const [name, { value }] of Object.entries(counters ?? {})) yield [`${counterSet}/${name}`, Quantity.parse(value)];
  }
}

/** The counters of a pool; undefined if a set is there twice, or if a device consumes a set or counter that is not there. */
export function poolCounters(slices: readonly ResourceSlice[]): Counters | undefined {
  const counters: Counters = new Map();
  const sets = new Set<string>();
  for (const { name, counters: amounts } of slices.flatMap(({ spec }) => spec?.sharedCounters ?? [])) {
    if (sets.has(name)) return undefined;
    sets.add(name);
    for (const [counter, { value }] of Object.entries(amounts ?? {})) counters.set(`${name}/${counter}`, Quantity.parse(value));
  }
  const devices = slices.flatMap(({ spec }) => spec?.devices ?? []);
  const isKnown = (device: Device) =>
    (device.consumesCounters ?? []).every(({ counterSet }) => sets.has(counterSet)) &&
    [...consumed(device)].every(([key]) => counters.has(key));
  return devices.every(isKnown) ? counters : undefined;
}

/** Subtracts what a device consumes; false, and no change, if that is more than there is. */
export function consume(counters: Counters, device: Consumption): boolean {
  const before = new Map(counters);
  release(counters, device, -1);
  const fits = [...consumed(device)].every(([key]) => (counters.get(key)?.sign ?? 0) >= 0);
  if (!fits) for (const [key, amount] of before) counters.set(key, amount);
  return fits;
}

/** Adds what a device consumed; `sign` -1 subtracts it, below zero too. */
export function release(counters: Counters, device: Consumption, sign: 1 | -1 = 1): void {
  for (const [key, amount] of consumed(device)) {
    const known = counters.get(key) ?? Quantity.zero;
    counters.set(key, sign === 1 ? known.add(amount) : known.sub(amount));
  }
}
