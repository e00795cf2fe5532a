import { disabled, notRegistered, type RouteRefusal } from './refusal.js';

/** Which parts of the server answer; with the names and defaults of KubeletConfiguration. */
export interface RouteSwitches {
  /** Everything that does more than tell figures and pods. Default true; false on the read-only port. */
  enableDebuggingHandlers?: boolean;
  /** `/logs/`. Default true. */
  enableSystemLogHandler?: boolean;
  /** `/debug/pprof/`. Default true. */
  enableProfilingHandler?: boolean;
  /** `/debug/flags/v`. Default true. */
  enableDebugFlagsHandler?: boolean;
  /** `/ui/`. Default false. */
  ui?: boolean;
}

const defaults: Readonly<Required<RouteSwitches>> = {
  enableDebuggingHandlers: true,
  enableSystemLogHandler: true,
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  ui: false,
};

/** A switch that must be on, and the answer while it is off. */
export interface SwitchRequirement {
  switch: keyof RouteSwitches;
  refusal: RouteRefusal;
}

/** For endpoints that a kubelet answers with an error while debugging is off. */
export const debugging: SwitchRequirement = {
  switch: 'enableDebuggingHandlers',
  refusal: disabled('Debug endpoints are disabled.'),
};

/** For endpoints that a kubelet does not register while debugging is off. */
export const registeredForDebugging: SwitchRequirement = { switch: 'enableDebuggingHandlers', refusal: notRegistered };

/** The answer of the first switch that is off; undefined if all are on. */
export function refusalBySwitch(required: readonly SwitchRequirement[], switches: RouteSwitches): RouteRefusal | undefined {
  return required.find((each) => !(switches[each.switch] ?? defaults[each.switch]))?.refusal;
}
