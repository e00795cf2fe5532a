import { invalidOption } from '@nodeagent/api';

/** What a part can do beyond its contract. */
export interface Capability<T extends object> {
  /** The name of its interface in `@nodeagent/api`. */
  readonly name: string;
  /** Fallback for a part that lacks the capability; its methods define the capability. */
  readonly fallback: T;
  /** What the agent cannot do without it; part of a log line. */
  readonly loss: string;
}

/** A capability that a replaced part lacks. */
interface MissingCapability {
  /** The option. */
  readonly part: string;
  readonly capability: string;
  readonly loss: string;
}

/** For each capability the part itself or the fallback. */
export type Capabilities<Table extends Record<string, Capability<object>>> = {
  readonly [K in keyof Table]: Table[K]['fallback'];
} & { readonly missing: readonly MissingCapability[] };

/**
 * Determines which capabilities a part has. Throws `InvalidOption` for a part that has only some methods of a capability.
 * @param option - the option of the part, for errors
 */
export function capabilitiesOf<Table extends Record<string, Capability<object>>>(
  option: string,
  part: object,
  table: Table,
): Capabilities<Table> {
  const missing: MissingCapability[] = [];
  const entries = Object.entries(table).map(([key, { name, fallback, loss }]) => {
    const lacking = Object.keys(fallback).filter((method) => !isMethod(part, method));
    if (lacking.length === 0) return [key, part];
    if (lacking.length < Object.keys(fallback).length)
      throw invalidOption(option, `a complete ${name}, including ${lacking.join(' and ')}`, part);
    missing.push({ part: option, capability: name, loss });
    return [key, fallback];
  });
  return { ...Object.fromEntries(entries), missing };
}

const isMethod = (part: object, name: string) => typeof (part as Record<string, unknown>)[name] === 'function';
