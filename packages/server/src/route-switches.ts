import { disabled, notRegistered, type RouteRefusal } from './refusal.js';

/** Enables parts of the server, with the names and defaults of KubeletConfiguration. */
export interface RouteSwitches {
  /** Enables all endpoints beyond stats and pods. Default true; false on the read-only port. */
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

/** A required switch, and the response while it is off. */
export interface SwitchRequirement {
  switch: keyof RouteSwitches;
  refusal: RouteRefusal;
}

/** For endpoints that respond with the kubelet's error while debugging is off. */
export const debugging: SwitchRequirement = {
  switch: 'enableDebuggingHandlers',
  refusal: disabled('Debug endpoints are disabled.'),
};

/** For endpoints that a kubelet does not register while debugging is off. */
export const registeredForDebugging: SwitchRequirement = { switch: 'enableDebuggingHandlers', refusal: notRegistered };

/** The response of the first switch that is off; undefined if all are on. */
export function refusalBySwitch(required: readonly SwitchRequirement[], switches: RouteSwitches): RouteRefusal | undefined {
  return required.find((each) => !(switches[each.switch] ?? defaults[each.switch]))?.refusal;
}
