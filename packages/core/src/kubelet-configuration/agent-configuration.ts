import type { EvictionSettings } from '@nodeagent/eviction';
import type { ShutdownSettings } from '@nodeagent/node-shutdown';
import type { AuthenticationOptions, NodeServerSettings, TlsFilesOptions } from '@nodeagent/server';
import type { JoinClusterOptions } from '../cluster/join-cluster.js';
import type { AgentOptions, RuntimeOptions } from '../options/agent-options.js';

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
export interface ConfiguredRuntime {
  endpoint?: string;
  imageEndpoint?: string;
  /** The feature gate of this name, for `chooseStatsSource`. */
  podAndContainerStatsFromCRI?: boolean;
}

/** Pod sources other than the cluster, with the names of `createFileSource` and `createHttpSource`. */
export interface ConfiguredStaticPods {
  path?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  checkIntervalMs?: number;
}

/** The listeners of the HTTP API, authentication and authorization. Port 0 disables a listener. */
export interface ConfiguredServer {
  https?: ConfiguredAddress;
  readOnly?: ConfiguredAddress;
  healthz?: ConfiguredAddress;
  /** Names as in `tlsFiles` of `@nodeagent/server`. */
  tls?: Pick<TlsFilesOptions, 'clientCAFile' | 'minVersion' | 'ciphers'> & { certFile?: string; keyFile?: string };
  authentication?: Pick<AuthenticationOptions, 'anonymous' | 'cacheTTLMs'> & {
    /** Whether the API server authenticates bearer tokens. */
    webhook?: boolean;
  };
  authorization?: { mode?: 'AlwaysAllow' | 'Webhook'; cacheAuthorizedTTLMs?: number; cacheUnauthorizedTTLMs?: number };
  settings?: NodeServerSettings;
}

/** The certificates that the node requests from the API server, with the names of KubeletConfiguration. */
export interface ConfiguredCertificates {
  /** Whether the client certificate is rotated. Default false. */
  rotateCertificates?: boolean;
  /** Whether the certificate of the HTTP API is requested, and rotated. Default false. */
  serverTLSBootstrap?: boolean;
}

export interface ConfiguredAddress {
  port?: number;
  address?: string;
}

/** Objects that only group settings: they merge field by field. Every other value replaces the one below it as a whole. */
const sections: ReadonlySet<string> = new Set([
  ...(['agent', 'cluster', 'runtime', 'staticPods', 'server', 'certificates'] satisfies (keyof AgentConfiguration)[]),
  ...([
    'settings',
    'node',
    'imageSettings',
    'runtimeOptions',
    'eviction',
    'shutdown',
    'resourceManagers',
  ] satisfies (keyof ConfiguredAgentOptions)[]),
  ...(['https', 'readOnly', 'healthz', 'tls', 'authentication', 'authorization'] satisfies (keyof ConfiguredServer)[]),
]);

/**
 * Merges configurations field by field; the last one that sets a field wins. Lists and maps such as labels, thresholds and reserved
 * resources are values: they are replaced, not merged, as the kubelet's flags replace values of its file.
 */
export function mergeAgentConfigurations(...layers: readonly Partial<AgentConfiguration>[]): AgentConfiguration {
  const empty: AgentConfiguration = { agent: {}, cluster: {}, runtime: {}, staticPods: {}, server: {}, certificates: {} };
  return layers.reduce<Readonly<Record<string, unknown>>>(mergeSection, { ...empty }) as unknown as AgentConfiguration;
}

function mergeSection(base: object, over: object): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue;
    merged[name] = sections.has(name) ? mergeSection(merged[name] ?? {}, value) : value;
  }
  return merged;
}
