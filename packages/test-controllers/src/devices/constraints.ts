import type { Device, DeviceAttribute, DeviceConstraint } from '@nodeagent/api';

/** The values of a constraint's attribute in the devices chosen so far. */
export interface ConstraintState {
  constraint: DeviceConstraint;
  values: string[];
}

/** A device that is being chosen for a request. */
export interface ConstraintCandidate {
  /** The name of the request, and that of its alternative. */
  names: readonly string[];
  driver: string;
  device: Device;
}

/**
 * Adds the device to the constraints that apply to it. Returns a function that removes it, or undefined, and no change, if one is not met.
 * Kubernetes documentation, "Dynamic Resource Allocation: DeviceConstraint".
 */
export function applyConstraints(states: readonly ConstraintState[], candidate: ConstraintCandidate): (() => void) | undefined {
  const added: ConstraintState[] = [];
  const undo = () => {
    for (const { values } of added) values.pop();
  };
  for (const state of states) {
    const { requests = [], matchAttribute, distinctAttribute = '' } = state.constraint;
    if (requests.length > 0 && !candidate.names.some((name) => requests.includes(name))) continue;
    const value = attributeValue(candidate, matchAttribute ?? distinctAttribute);
    const isMet = value !== undefined && (matchAttribute ? (state.values[0] ?? value) === value : !state.values.includes(value));
    if (!isMet) {
      undo();
      return undefined;
    }
    state.values.push(value);
    added.push(state);
  }
  return undo;
}

const kinds = ['string', 'int', 'bool', 'version'] as const satisfies (keyof DeviceAttribute)[];

/** The value of an attribute with its type. Attributes of the driver's domain have short names. */
function attributeValue({ driver, device: { attributes = {} } }: ConstraintCandidate, name: string): string | undefined {
  const short = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const attribute = attributes[name] ?? attributes[short];
  const kind = attribute && kinds.find((each) => attribute[each] !== undefined);
  return kind && `${kind} ${attribute[kind]}`;
}
