import { invalidOption } from '@nodeagent/api';

/** What a part may be able to do beside its contract. */
export interface Capability<T extends object> {
  /** The name of its interface in `@nodeagent/api`. */
  readonly name: string;
  /** What is called instead where a part does not have it. Its methods are those of the capability. */
  readonly without: T;
  /** What the agent then cannot do, for people. */
  readonly loss: string;
}

/** A capability that a part of the options does not have. */
interface MissingCapability {
  /** The option. */
  readonly part: string;
  readonly capability: string;
  readonly loss: string;
}

/** Of each capability the part itself or, where it does not have it, what is called instead. */
export type Capabilities<Table extends Record<string, Capability<object>>> = {
  readonly [K in keyof Table]: Table[K]['without'];
} & { readonly missing: readonly MissingCapability[] };

/**
 * Finds out once which capabilities a part has. Throws `InvalidOption` for a part that has some methods of a capability and not all.
 *
 * @param option - the option of the part, for errors
 */
export function capabilitiesOf<Table extends Record<string, Capability<object>>>(
  option: string,
  part: object,
  table: Table,
): Capabilities<Table> {
  const missing: MissingCapability[] = [];
  const entries = Object.entries(table).map(([key, { name, without, loss }]) => {
    const lacking = Object.keys(without).filter((method) => !isMethod(part, method));
    if (lacking.length === 0) return [key, part];
    if (lacking.length < Object.keys(without).length) throw invalidOption(option, `a whole ${name}, with ${lacking.join(' and ')}`, part);
    missing.push({ part: option, capability: name, loss });
    return [key, without];
  });
  return { ...Object.fromEntries(entries), missing };
}

const isMethod = (part: object, name: string) => typeof (part as Record<string, unknown>)[name] === 'function';
