import type { Device, DeviceCapacityEntry, ExactDeviceRequest } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** Amounts of a device by the name of its capacity. */
export type Amounts = ReadonlyMap<string, Quantity>;

type CapacityRequest = ExactDeviceRequest['capacity'];

const parsed = (text: string | undefined) => (text === undefined ? undefined : Quantity.parse(text));

/**
 * What a request consumes of a device, rounded by the policies of the device; undefined if the device does not have it, even if it is free.
 * Kubernetes documentation, "Dynamic Resource Allocation: Consumable capacity".
 */
export function consumedCapacity(request: CapacityRequest, { capacity = {} }: Device): Amounts | undefined {
  const requested = request?.requests ?? {};
  if (Object.keys(requested).some((name) => !capacity[name])) return undefined;
  const amounts = new Map<string, Quantity>();
  for (const [name, each] of Object.entries(capacity)) {
    const amount = consumedAmount(parsed(requested[name]), each);
    if (violatesPolicy(amount, each) || amount.cmp(Quantity.parse(each.value)) > 0) return undefined;
    amounts.set(name, amount);
  }
  return amounts;
}

/** Whether the device has the amounts beside what is in use. */
export function fitsCapacity({ capacity = {} }: Device, amounts: Amounts, inUse: Amounts): boolean {
  return [...amounts].every(
    ([name, amount]) => amount.add(inUse.get(name) ?? Quantity.zero).cmp(Quantity.parse(capacity[name]?.value ?? '0')) <= 0,
  );
}

/** The sum of amounts. */
export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, (sum.get(name) ?? Quantity.zero).add(amount));
  return sum;
}

function consumedAmount(requested: Quantity | undefined, { value, requestPolicy }: DeviceCapacityEntry): Quantity {
  if (requested === undefined) return Quantity.parse(requestPolicy?.default ?? value);
  const { validRange, validValues } = requestPolicy ?? {};
  if (validRange?.min !== undefined) return roundedToRange(requested, Quantity.parse(validRange.min), parsed(validRange.step));
  return validValues?.map((text) => Quantity.parse(text)).find((valid) => requested.cmp(valid) <= 0) ?? requested;
}

function roundedToRange(requested: Quantity, min: Quantity, step: Quantity | undefined): Quantity {
  if (requested.cmp(min) < 0) return min;
  if (step === undefined) return requested;
  const size = step.value();
  const steps = (requested.value() - min.value() + size - 1n) / size;
  return Quantity.of(min.value() + size * steps, 'BinarySI');
}

function violatesPolicy(amount: Quantity, { requestPolicy }: DeviceCapacityEntry): boolean {
  const { default: usual, validRange, validValues = [] } = requestPolicy ?? {};
  if (usual !== undefined && amount.equals(Quantity.parse(usual))) return false;
  if (!validRange) return validValues.length > 0 && !validValues.some((text) => amount.equals(Quantity.parse(text)));
  const { min = '0', max, step } = validRange;
  if (max !== undefined && amount.cmp(Quantity.parse(max)) > 0) return true;
  return step !== undefined && (amount.value() - Quantity.parse(min).value()) % Quantity.parse(step).value() !== 0n;
}
