import type { GivenSettings } from '@nodeagent/api/helpers';
import type { EvictionSettings } from '@nodeagent/eviction';
import type { ShutdownSettings } from '@nodeagent/node-shutdown';
import type { NodeServerSettings } from '@nodeagent/server';
import type { JoinClusterOptions } from '../cluster/join-cluster.js';
import { settingGroups } from '../config/setting-groups.js';
import type { AgentOptions, RuntimeOptions } from '../options/agent-options.js';

type Group<Path extends keyof typeof settingGroups> = GivenSettings<(typeof settingGroups)[Path]>;

/** What a user can configure about an agent, as plain data: the content of a configuration file, of flags, or of defaults. All fields are optional. */
export interface AgentConfiguration {
  /** Options of `createNodeAgent`. */
  agent: ConfiguredAgentOptions;
  /** Options of `joinCluster`. */
  cluster: ConfiguredClusterOptions;
  runtime: ConfiguredRuntime;
  staticPods: ConfiguredStaticPods;
  /** The HTTP API of the agent. */
  server: ConfiguredServer;
  certificates: ConfiguredCertificates;
}

export interface ConfiguredAgentOptions
  extends Pick<AgentOptions, 'podLogsDir' | 'settings' | 'node' | 'imageSettings' | 'resourceManagers'> {
  runtimeOptions?: Pick<RuntimeOptions, 'settings'>;
  eviction?: { settings?: EvictionSettings };
  shutdown?: ShutdownSettings;
}

export type ConfiguredClusterOptions = Pick<
  JoinClusterOptions,
  'settings' | 'leaseDurationSeconds' | 'allowedUnsafeSysctls' | 'featureGates'
>;

/** The container runtime, with the names of `createCriClient`. */
export interface ConfiguredRuntime extends Group<'runtime'> {}

/** Pod sources other than the cluster, with the names of `createFileSource` and `createHttpSource`. */
export interface ConfiguredStaticPods extends Group<'staticPods'> {}

/** The HTTP API, in the shape of the server's options, with data in place of ports. Port 0 disables a listener. */
export interface ConfiguredServer {
  https?: ConfiguredHttps;
  readOnly?: Group<'server.readOnly'>;
  healthz?: Group<'server.healthz'>;
  settings?: NodeServerSettings;
}

/** The HTTPS listener, its certificates, authentication and authorization. */
export interface ConfiguredHttps extends Group<'server.https'> {
  tls?: Group<'server.https.tls'>;
  authentication?: Group<'server.https.authentication'>;
  authorization?: Group<'server.https.authorization'>;
}

/** Which certificates the agent requests from the API server. Default: none. */
export interface ConfiguredCertificates extends Group<'certificates'> {}

/** Names of objects that only group settings: they merge field by field. Every other value replaces the one below it as a whole. */
const groupNames: ReadonlySet<string> = new Set(Object.keys(settingGroups).flatMap((path) => path.split('.')));

/**
 * Merges configurations field by field; the last one that sets a field wins. Lists and maps such as labels, thresholds and reserved
 * resources are values: they are replaced, not merged, as the kubelet's flags replace values of its file.
 */
export function mergeAgentConfigurations(...layers: readonly Partial<AgentConfiguration>[]): AgentConfiguration {
  const empty: AgentConfiguration = { agent: {}, cluster: {}, runtime: {}, staticPods: {}, server: {}, certificates: {} };
  return layers.reduce<Readonly<Record<string, unknown>>>(mergeGroup, { ...empty }) as unknown as AgentConfiguration;
}

function mergeGroup(base: object, over: object): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue;
    merged[name] = groupNames.has(name) ? mergeGroup(merged[name] ?? {}, value) : value;
  }
  return merged;
}

/** The configuration that has only this value, at this path. */
export const configurationOf = (path: string, value: unknown): Partial<AgentConfiguration> =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Partial<AgentConfiguration>;
