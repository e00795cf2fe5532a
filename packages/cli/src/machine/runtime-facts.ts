import type { Distribution, Need } from './distribution.js';

/** What an OCI runtime has shown when it ran a container on this machine: `probeOciProgram` of `@nodeagent/oci-runtime`. */
export interface RuntimeProbe {
  path: string;
  /** `crun 1.8.1` */
  title: string;
  /** Why it cannot run containers here. Absent if it can. */
  problem?: string;
}

/** The facts that decide how pods run on this machine. */
export interface RuntimeFacts {
  platform: string;
  isRoot: boolean;
  /** Undefined for an unknown one. */
  distribution: Distribution | undefined;
  /** The paths of the OCI runtimes that are there, in the order in which they are tried. */
  ociPrograms: readonly string[];
  /** The paths of the other programs that are there, by name. */
  programs: Readonly<Record<string, string>>;
  /** The names of the CNI plugins that are there. */
  cniPlugins: readonly string[];
  /** Whether pods are in the default network: the machine has no CNI configuration, and no cluster brings one. */
  usesDefaultNetwork: boolean;
  /** The process of a kubelet on this machine. */
  kubeletPid?: number;
  /** Of the OCI runtimes, until the first that runs containers. Empty if something else is missing. */
  probes: readonly RuntimeProbe[];
}

export const ociProgramNames = ['crun', 'runc'] as const;

/** The plugins of the default network. */
export const defaultNetworkPlugins = ['bridge', 'host-local'];

/** What is missing on the machine for pods in containers. */
export function missingNeeds({ ociPrograms, programs, cniPlugins, usesDefaultNetwork }: MissingFacts): Need[] {
  const has = (name: string) => programs[name] !== undefined;
  const hasNetwork = !usesDefaultNetwork || defaultNetworkPlugins.every((name) => cniPlugins.includes(name));
  const needs: [Need, boolean][] = [
    ['crun', ociPrograms.length > 0],
    ['conmon', has('conmon')],
    ['util-linux', has('unshare') && has('nsenter')],
    ['iproute2', has('ip')],
    ['CNI plugins', hasNetwork],
  ];
  return needs.filter(([, isThere]) => !isThere).map(([need]) => need);
}

type MissingFacts = Pick<RuntimeFacts, 'ociPrograms' | 'programs' | 'cniPlugins' | 'usesDefaultNetwork'>;
