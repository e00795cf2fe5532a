import { parseTime, Quantity, type QuantityFormat } from '@nodeagent/api/helpers';
import { type EvictionSignal, evictionSignals, type SignalUnit, signalDefinitions } from './signals.js';
import type { SummaryInput } from './stats-input.js';

/** The available amount and the capacity of a signal. */
export interface SignalObservation {
  available: Quantity;
  capacity: Quantity;
  /** Time of the measurement in milliseconds since 1970; undefined if the source does not report it. */
  at: number | undefined;
}

/** Observations by signal; signals without a value are absent. */
export type SignalObservations = ReadonlyMap<EvictionSignal, SignalObservation>;

const formats: Readonly<Record<SignalUnit, QuantityFormat>> = { bytes: 'BinarySI', count: 'DecimalSI' };

/** The observations of a summary; a signal without a value is absent. Kubernetes documentation, "Node-pressure Eviction". */
export function makeObservations({ node = {} }: SummaryInput): SignalObservations {
  const observations = new Map<EvictionSignal, SignalObservation>();
  for (const signal of evictionSignals) {
    const { observe, unit } = signalDefinitions[signal];
    const amounts = observe(node);
    if (amounts === undefined) continue;
    const { available, capacity, time } = amounts;
    const format = formats[unit];
    observations.set(signal, {
      available: amount(available, format),
      capacity: amount(capacity, format),
      at: time === undefined ? undefined : parseTime(time),
    });
  }
  return observations;
}

/** Unsigned 64-bit values wrap around as in the kubelet: an exceeded limit gives a negative available amount. */
function amount(value: bigint, format: QuantityFormat): Quantity {
  return Quantity.of(BigInt.asIntN(64, value), format);
}
