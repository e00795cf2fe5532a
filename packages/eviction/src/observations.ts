import { parseTime, Quantity, type QuantityFormat, type Summary } from '@nodeagent/api';
import { type EvictionSignal, evictionSignals, type SignalUnit, signalDefinitions } from './signals.js';

/** What is left of something, and how much there is in all. */
export interface SignalObservation {
  available: Quantity;
  capacity: Quantity;
  /** When it was measured, in milliseconds since 1970; undefined if the source does not say. */
  at: number | undefined;
}

/** The signals that figures are known of. */
export type SignalObservations = ReadonlyMap<EvictionSignal, SignalObservation>;

const formats: Readonly<Record<SignalUnit, QuantityFormat>> = { bytes: 'BinarySI', count: 'DecimalSI' };

/** What a summary says of each signal; one that lacks a figure is absent. Kubernetes documentation, "Node-pressure Eviction". */
export function makeObservations({ node }: Summary): SignalObservations {
  const observations = new Map<EvictionSignal, SignalObservation>();
  for (const signal of evictionSignals) {
    const { observe, unit } = signalDefinitions[signal];
    const figures = observe(node);
    if (figures === undefined) continue;
    const { available, capacity, time } = figures;
    const format = formats[unit];
    observations.set(signal, { available: amount(available, format), capacity: amount(capacity, format), at: parseTime(time) });
  }
  return observations;
}

/** Unsigned 64-bit figures wrap around as in the kubelet: what is left below an exceeded limit is less than nothing. */
function amount(value: bigint, format: QuantityFormat): Quantity {
  return Quantity.of(BigInt.asIntN(64, value), format);
}
