import type { CniVersion } from './versions.js';

/** A command of the CNI specification. */
export type CniCommand = 'ADD' | 'DEL' | 'CHECK' | 'STATUS' | 'VERSION' | 'GC';

/** What an attachment gave a container. The format of CNI 1.1, whatever version the plugin wrote. */
export interface CniResult {
  /** The version in which the last plugin wrote the result. */
  cniVersion: CniVersion;
  interfaces?: CniInterface[];
  ips?: CniIP[];
  routes?: CniRoute[];
  dns?: CniDns;
}

export interface CniInterface {
  name: string;
  mac?: string;
  mtu?: number;
  /** Path of the network namespace; absent for an interface of the host. */
  sandbox?: string;
  socketPath?: string;
  pciID?: string;
}

export interface CniIP {
  /** In CIDR notation. */
  address: string;
  gateway?: string;
  /** Index in `interfaces`. */
  interface?: number;
}

export interface CniRoute {
  /** In CIDR notation. */
  dst: string;
  gw?: string;
  mtu?: number;
  advmss?: number;
  priority?: number;
  table?: number;
  scope?: number;
}

export interface CniDns {
  nameservers?: string[];
  domain?: string;
  search?: string[];
  options?: string[];
}

/** A plugin of a network: what its configuration file has, with all members in their order. */
export interface CniPluginConfig {
  /** Name of the plugin's program. */
  type: string;
  /** The capabilities that the plugin has: those of its `capabilities` that are true. */
  capabilities: readonly string[];
  /** The members of the JSON object: each name and the JSON text of its value, unchanged. */
  members: readonly (readonly [name: string, json: string])[];
}

/** A network: a configuration list, or a single plugin as a list. */
export interface CniNetwork {
  name: string;
  /** The version in which the plugins are called: the highest common one. */
  cniVersion: CniVersion;
  /** CHECK does nothing. */
  disableCheck: boolean;
  /** GC does nothing. */
  disableGC: boolean;
  plugins: readonly CniPluginConfig[];
  /** The configuration as a JSON text of a list, complete; the form in which the cache keeps it. */
  json: string;
}

/** A container's interface in a network. */
export interface CniAttachment {
  /** ID of the pod sandbox: letters, digits, `_`, `.` and `-`, beginning with a letter or digit. */
  containerId: string;
  /** Path of the network namespace; empty if it no longer exists. */
  netns: string;
  /** Default `eth0`. At most 15 characters. */
  ifName?: string;
  /** Name of the network. Default: the first valid configuration of the folder. */
  network?: string;
  /** `CNI_ARGS`, in order; see `podArgs`. */
  args?: readonly (readonly [name: string, value: string])[];
  /** Values for the capabilities of plugins; see `podCapabilities`. A plugin gets those that it declares. */
  capabilityArgs?: CapabilityArgs;
}

/** `runtimeConfig` of the CNI conventions. Other names are passed on too. */
export interface CapabilityArgs {
  portMappings?: CniPortMapping[];
  bandwidth?: CniBandwidth;
  ipRanges?: { subnet: string; rangeStart?: string; rangeEnd?: string; gateway?: string }[][];
  ips?: string[];
  mac?: string;
  dns?: { servers?: string[]; searches?: string[]; options?: string[] };
  aliases?: string[];
  infinibandGUID?: string;
  cgroupPath?: string;
  [name: string]: unknown;
}

export interface CniPortMapping {
  hostPort: number;
  containerPort: number;
  protocol: 'tcp' | 'udp' | 'sctp';
  hostIP?: string;
}

/** Rates in bits a second, bursts in bits. */
export interface CniBandwidth {
  ingressRate?: number;
  ingressBurst?: number;
  egressRate?: number;
  egressBurst?: number;
}
