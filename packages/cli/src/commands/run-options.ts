import { join, resolve } from 'node:path';
import type { ConfiguredServer } from '@nodeagent/core/kubelet-configuration';
import { type AgentConfiguration, mergeAgentConfigurations } from '@nodeagent/core/node';
import { badUsage, type Flag, type FlagValues, oneOf, readFlags, readGivenFlags, text } from '../flags.js';
import { type LogFormat, type LogLevel, logLevels } from '../log.js';
import { refuseClusterFlags } from './cluster-flags.js';
import type { LoadedConfigFiles } from './config-files.js';
import { checkThresholds } from './eviction-flags.js';
import { type Handlers, readHandlers } from './handler-flag.js';
import { type CredentialPluginPaths, readCredentialPluginPaths } from './image-credentials.js';
import { defaultManifests, type RunOutput, runFlags, runOutputs } from './run-flags.js';
import { isRuntimeType, type RuntimeType, runtimeTypes } from './runtime-types.js';
import { completeServer, withoutCluster } from './server-flags.js';
import { checkSettings, readSettingFlags } from './setting-flag.js';
import { type SettingName, settingNames } from './setting-names.js';
import { shownFlags } from './shown-flags.js';

/** The checked options of `nodeagent run`. */
export interface RunOptions {
  /** Flags over configuration files over defaults. `staticPods.path` is undefined without static pod manifests. */
  configuration: AgentConfiguration;
  /** The cluster to join; absent without one. */
  kubeconfig?: string;
  /** Requests the first client certificate; absent without one. */
  bootstrapKubeconfig?: string;
  /** The directory of certificates. */
  certDir: string;
  /** The node's HTTP API; undefined without one. */
  server?: ConfiguredServer;
  /** Whether the node page is served. */
  ui: boolean;
  /** `oci`, `process`, or the socket of a CRI runtime. */
  runtimeEndpoint: string;
  /** Further OCI runtimes of `oci`. */
  handlers: Handlers;
  /** Runs one pod to its end. */
  once: boolean;
  stopPodsOnExit: boolean;
  /** Whether SIGTERM starts a node shutdown. */
  shutdownOnSigterm: boolean;
  nodeName: string;
  rootDir: string;
  podLogsDir: string;
  /** Undefined without registry credential plugins. */
  credentialPlugins?: CredentialPluginPaths;
  /** All flags for `/flagz`. */
  shownFlags: Record<string, string>;
  output: RunOutput;
  logLevel: LogLevel;
  logFormat: LogFormat;
}

/** That of a kubelet: the kernel kills containers first. Pods that run as plain processes would inherit it. */
const defaultOomScoreAdj = -999;

/** Values of flags that are not set and have no default. */
const unset: Partial<AgentConfiguration> = {
  agent: { node: { nodeLabels: {} }, settings: { clusterDNS: [], clusterDomain: '' } },
  cluster: { settings: { nodeLabels: {}, nodeIPs: [], registerWithTaints: [] } },
};

/**
 * Reads and checks the flags, which override configuration files. Throws `BAD_USAGE` naming the flag, or the field of a file.
 *
 * @param chosen - the runtime if neither names one
 */
export function readRunOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isRoot: boolean,
  files?: LoadedConfigFiles,
  chosen: RuntimeType = 'process',
): RunOptions {
  const flags = runFlags(env, isRoot);
  const values = readFlags(flags, args);
  const given = readGivenFlags(flags, args);
  const name = settingNames(given, files);
  const rootDir = resolve(text(values, 'root-dir'));
  const bootstrapKubeconfig = values['bootstrap-kubeconfig'] && resolve(text(values, 'bootstrap-kubeconfig'));
  const defaultKubeconfig = bootstrapKubeconfig ? join(rootDir, 'kubeconfig') : undefined;
  const kubeconfig = values.kubeconfig === undefined ? defaultKubeconfig : text(values, 'kubeconfig');
  const inCluster = kubeconfig !== undefined;
  if (!inCluster) refuseClusterFlags(given);
  const configuration = mergedConfiguration({ flags, given, files, inCluster, name });
  const { agent, runtime, staticPods } = configuration;
  const runtimeEndpoint = currentName(runtime.endpoint ?? chosen);
  const hasProcesses = runtimeEndpoint === 'process';
  const isFromElsewhere = inCluster || staticPods.url !== undefined;
  const { path = isFromElsewhere ? undefined : defaultManifests } = staticPods;
  const ownsNode = isRoot && !hasProcesses;
  const {
    cgroupsPerQOS = ownsNode,
    devicePlugins = ownsNode,
    oomScoreAdj = ownsNode ? defaultOomScoreAdj : undefined,
  } = agent.settings ?? {};
  const settings = { cgroupsPerQOS, devicePlugins, ...(oomScoreAdj !== undefined && { oomScoreAdj }) };
  if (agent.resourceManagers?.cpuManagerPolicy === 'static' && !cgroupsPerQOS) {
    const setting = name('cpu-manager-policy', 'cpuManagerPolicy');
    throw badUsage(
      `${setting}: static needs cgroups of pods: run as root with --runtime-endpoint oci or unix:///PATH, and --cgroups-per-qos`,
    );
  }
  const { podLogsDir = ownsNode ? '/var/log/pods' : join(rootDir, 'logs') } = agent;
  const certDir = values['cert-dir'] === undefined ? join(rootDir, 'pki') : resolve(text(values, 'cert-dir'));
  const server = completeServer({ server: configuration.server, values, inCluster, name });
  const credentialPlugins = readCredentialPluginPaths(values);
  const output = oneOf(values, 'output', runOutputs);
  return {
    configuration: mergeAgentConfigurations(configuration, { staticPods: { path }, agent: { settings } }),
    ...(inCluster && { kubeconfig }),
    ...(bootstrapKubeconfig && { bootstrapKubeconfig }),
    certDir,
    ...(server && { server }),
    ui: values.ui === true,
    runtimeEndpoint,
    handlers: readHandlers(values),
    once: values.once === true,
    stopPodsOnExit: hasProcesses || values.once === true || values['stop-pods-on-exit'] === true,
    shutdownOnSigterm: readShutdownOnSigterm(values, agent.shutdown),
    nodeName: readNodeName(values),
    rootDir,
    podLogsDir,
    ...(credentialPlugins && { credentialPlugins }),
    shownFlags: shownFlags(values),
    output,
    logLevel: oneOf(values, 'log-level', logLevels),
    logFormat: output === 'json' ? 'json' : 'text',
  };
}

/** What {@link mergedConfiguration} merges. */
export interface ConfigurationLayers {
  flags: readonly Flag[];
  /** The values of the flags that are set. */
  given: FlagValues;
  files: LoadedConfigFiles | undefined;
  inCluster: boolean;
  /** Names settings in errors. */
  name: SettingName;
}

/** Flags over configuration files over defaults. Throws `BAD_USAGE` naming the invalid setting. */
export function mergedConfiguration({ flags, given, files, inCluster, name }: ConfigurationLayers): AgentConfiguration {
  const configuration = mergeAgentConfigurations(
    unset,
    readSettingFlags(flags, readFlags(flags, [])),
    fileConfiguration(files, inCluster),
    readSettingFlags(flags, given),
  );
  checkConfiguration(configuration, name);
  checkSettings(flags, configuration, name);
  return configuration;
}

/** The options of the configuration files, without those that require a cluster unless `inCluster`. */
function fileConfiguration(files: LoadedConfigFiles | undefined, inCluster: boolean): Partial<AgentConfiguration> {
  if (files === undefined || inCluster) return files?.options ?? {};
  return { ...files.options, server: withoutCluster(files.options.server) };
}

/** `embedded` is the former name of `process`. */
const currentName = (endpoint: string) => (endpoint === 'embedded' ? 'process' : endpoint);

/** Checks the merged configuration. */
function checkConfiguration({ agent, runtime, staticPods }: AgentConfiguration, name: SettingName): void {
  const { endpoint } = runtime;
  if (endpoint !== undefined && !isRuntimeType(currentName(endpoint)) && !/^(unix:\/\/)?\//.test(endpoint)) {
    const setting = name('runtime-endpoint', 'containerRuntimeEndpoint');
    throw badUsage(`${setting}: "${endpoint}" is neither ${runtimeTypes.join(' nor ')} nor unix:///PATH`);
  }
  if (staticPods.url !== undefined && !/^https?:\/\/./.test(staticPods.url)) {
    throw badUsage(`${name('manifest-url', 'staticPodURL')}: "${staticPods.url}" is not an http or https URL`);
  }
  checkThresholds(agent.eviction?.settings ?? {}, name);
}

function readNodeName(values: FlagValues): string {
  const nodeName = text(values, 'node-name');
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(nodeName) && nodeName.length <= 253) return nodeName;
  throw badUsage(`--node-name: "${nodeName}" is not a DNS name: lower-case letters, digits, "-" and "."`);
}

function readShutdownOnSigterm(values: FlagValues, shutdown: AgentConfiguration['agent']['shutdown']): boolean {
  if (values['shutdown-on-sigterm'] !== true) return false;
  if (shutdown !== undefined) return true;
  throw badUsage('--shutdown-on-sigterm: requires a configuration with shutdownGracePeriod or shutdownGracePeriodByPodPriority');
}
