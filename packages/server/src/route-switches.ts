import { defaultsOf } from '@nodeagent/api/helpers';
import { disabled, notRegistered, type RouteRefusal } from './refusal.js';
import { type NodeServerSettings, nodeServerSettings } from './settings.js';

/** Enables parts of the server. */
export interface RouteSwitches
  extends Pick<
    NodeServerSettings,
    'enableDebuggingHandlers' | 'enableSystemLogHandler' | 'enableProfilingHandler' | 'enableDebugFlagsHandler'
  > {
  /** `/ui/`. Default false. */
  ui?: boolean;
}

const defaults: Readonly<Required<RouteSwitches>> = { ...defaultsOf(nodeServerSettings), ui: false };

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
