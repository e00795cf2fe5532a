import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { EvictionSettings } from '@nodeagent/eviction';
import { badUsage, duration, type Flag, helpFlag, list, oneOf, readFlags, text } from '../flags.js';
import { type LogFormat, type LogLevel, logLevels } from '../log.js';
import {
  type ClusterRunOptions,
  clusterFlags,
  type NodeRunOptions,
  onlyInCluster,
  readClusterOptions,
  readNodeOptions,
} from './cluster-flags.js';
import type { Configured } from './configured.js';
import { evictionFlags, readEvictionSettings } from './eviction-flags.js';
import { type CredentialPluginPaths, imageCredentialFlags, readCredentialPluginPaths } from './image-credentials.js';
import { configFlags } from './load-configured.js';
import { rootDirFlag } from './root-dir-flag.js';
import { filledInCluster, readServerOptions, type ServerRunOptions, serverFlags } from './server-flags.js';

/** The flags of `nodeagent run`, with the kubelet's names where it has them. */
export function runFlags(env: NodeJS.ProcessEnv, isRoot: boolean): Flag[] {
  return [
    {
      name: 'manifests',
      short: 'f',
      value: 'PATH',
      defaultText: `${defaultManifests}; none with --kubeconfig or --manifest-url`,
      help: 'folder of pod manifests, or one manifest file: YAML or JSON, several documents to a file. Changes are picked up at once.',
    },
    { name: 'manifest-url', value: 'URL', defaultText: 'none', help: 'where to fetch pods from, each 20s.' },
    {
      name: 'kubeconfig',
      value: 'FILE',
      defaultText: 'no cluster',
      help: 'joins the cluster that the file leads to: registers this node, runs the pods that are bound to it, reports them.',
    },
    {
      name: 'runtime-endpoint',
      value: 'ENDPOINT',
      default: 'embedded',
      help: 'container runtime: "embedded" runs containers as plain processes of this machine (image: host) and ends them with the agent; unix:///path speaks CRI to containerd, CRI-O or "nodeagent runtime".',
    },
    {
      name: 'image-service-endpoint',
      value: 'ENDPOINT',
      defaultText: 'that of the runtime',
      help: 'CRI image service, where it is apart.',
    },
    {
      name: 'stop-pods-on-exit',
      defaultText: 'off',
      help: 'with an external runtime: stop all pods when the agent ends, instead of leaving them running.',
    },
    {
      name: 'shutdown-on-sigterm',
      defaultText: "off; systemd's logind tells when the machine goes down",
      help: "SIGTERM means that the machine goes down: pods end by priority within the configuration's shutdownGracePeriod before the agent does. For machines without logind; elsewhere SIGTERM leaves containers running, for upgrades.",
    },
    {
      name: 'node-name',
      value: 'NAME',
      default: hostname().toLowerCase(),
      help: 'name of this node; names of pods from manifests end in it, and in a cluster the identity has to be system:node:NAME.',
    },
    ...configFlags,
    ...clusterFlags,
    ...serverFlags,
    rootDirFlag({ env, isRoot }, "folder of the agent's own files."),
    {
      name: 'pod-logs-dir',
      value: 'DIR',
      defaultText: '/var/log/pods as root on an external runtime, else ROOT-DIR/logs',
      help: "folder of the containers' logs: NAMESPACE_POD_UID/CONTAINER/RESTART.log.",
    },
    {
      name: 'file-check-frequency',
      value: 'DURATION',
      default: '20s',
      help: 'how often the manifests are read again even if nothing seems to have changed.',
    },
    { name: 'sync-frequency', value: 'DURATION', default: '1m', help: 'how often a pod in order is looked at anyway.' },
    {
      name: 'max-restart-period',
      value: 'DURATION',
      default: '5m',
      help: 'longest pause between restarts of a crashing container, 1s to 5m.',
    },
    ...imageCredentialFlags,
    ...evictionFlags,
    {
      name: 'output',
      short: 'o',
      value: 'FORM',
      choices: runOutputs,
      default: 'auto',
      help: 'what to show: "table" (live table of the pods), "log" (plain lines), "json" (lines of JSON) or "auto": the table on a terminal, else plain lines.',
    },
    {
      name: 'log-level',
      value: 'LEVEL',
      choices: logLevels,
      default: 'info',
      help: 'least important lines to show: debug, info, warn or error. The table shows warnings and errors only, unless this is debug.',
    },
    helpFlag,
  ];
}

const defaultManifests = '/etc/kubernetes/manifests';

const runOutputs = ['auto', 'table', 'log', 'json'] as const;
export type RunOutput = (typeof runOutputs)[number];

/** What `nodeagent run` was asked to do, checked. */
export interface RunOptions {
  /** Absent where pods come from elsewhere. */
  manifests?: string;
  manifestUrl?: string;
  /** What pods find on the node. */
  node: NodeRunOptions;
  /** What to join; absent without a cluster. */
  cluster?: ClusterRunOptions;
  /** The node's HTTP API; absent if there is none. */
  server?: ServerRunOptions;
  clusterDNS: string[];
  clusterDomain: string;
  runtimeEndpoint: string;
  imageServiceEndpoint?: string;
  stopPodsOnExit: boolean;
  /** Whether SIGTERM means that the machine goes down. */
  shutdownOnSigterm: boolean;
  nodeName: string;
  rootDir: string;
  podLogsDir: string;
  fileCheckFrequencyMs: number;
  syncFrequencyMs: number;
  maxRestartPeriodMs: number;
  /** Absent without plugins for registry logins. */
  credentialPlugins?: CredentialPluginPaths;
  eviction: EvictionSettings;
  output: RunOutput;
  logLevel: LogLevel;
  logFormat: LogFormat;
  /** What a configuration file says that no flag does. */
  configured?: Configured;
}

/**
 * Reads and checks the flags. What a configuration file says takes the place of a flag that is not given.
 * Throws `BAD_USAGE` naming the flag.
 */
export function readRunOptions(args: readonly string[], env: NodeJS.ProcessEnv, isRoot: boolean, configured?: Configured): RunOptions {
  const flags = runFlags(env, isRoot);
  const given = readFlags(flags, args);
  const fromFile = Object.entries(configured?.flags ?? {}).filter(
    ([name]) => given.kubeconfig !== undefined || ![...onlyInCluster, ...filledInCluster].includes(name),
  );
  const fallbacks = Object.fromEntries(fromFile);
  const values = readFlags(
    flags.map((flag) => ({ ...flag, ...(fallbacks[flag.name] && { default: fallbacks[flag.name] }) })),
    args,
  );
  const rootDir = resolve(text(values, 'root-dir'));
  const runtimeEndpoint = text(values, 'runtime-endpoint');
  const embedded = runtimeEndpoint === 'embedded';
  const output = oneOf(values, 'output', runOutputs);
  const nodeName = text(values, 'node-name');
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(nodeName) || nodeName.length > 253) {
    throw badUsage(`--node-name: "${nodeName}" is not a DNS name: lower-case letters, digits, "-" and "."`);
  }
  if (!embedded && !/^(unix:\/\/)?\//.test(runtimeEndpoint)) {
    throw badUsage(`--runtime-endpoint: "${runtimeEndpoint}" is neither "embedded" nor unix:///PATH`);
  }
  const maxRestartPeriodMs = duration(values, 'max-restart-period');
  if (maxRestartPeriodMs < 1_000 || maxRestartPeriodMs > 300_000) throw badUsage('--max-restart-period: must be from 1s to 5m');
  const shutdownOnSigterm = values['shutdown-on-sigterm'] === true;
  if (shutdownOnSigterm && Object.keys(configured?.shutdown ?? {}).length === 0) {
    throw badUsage('--shutdown-on-sigterm: needs a configuration with shutdownGracePeriod or shutdownGracePeriodByPodPriority');
  }
  const cluster = readClusterOptions(values);
  const server = readServerOptions(values, rootDir, cluster !== undefined);
  const manifestUrl = values['manifest-url'] === undefined ? undefined : text(values, 'manifest-url');
  if (manifestUrl !== undefined && !/^https?:\/\/./.test(manifestUrl)) {
    throw badUsage(`--manifest-url: "${manifestUrl}" is not an http or https URL`);
  }
  const credentialPlugins = readCredentialPluginPaths(values);
  const elsewhere = values.manifests === undefined && (cluster !== undefined || manifestUrl !== undefined);
  return {
    ...(elsewhere ? {} : { manifests: values.manifests === undefined ? defaultManifests : text(values, 'manifests') }),
    ...(manifestUrl && { manifestUrl }),
    node: readNodeOptions(values),
    ...(cluster && { cluster }),
    ...(server && { server }),
    clusterDNS: list(values, 'cluster-dns'),
    clusterDomain: values['cluster-domain'] === undefined ? '' : text(values, 'cluster-domain'),
    runtimeEndpoint,
    ...(values['image-service-endpoint'] ? { imageServiceEndpoint: text(values, 'image-service-endpoint') } : {}),
    stopPodsOnExit: embedded || values['stop-pods-on-exit'] === true,
    shutdownOnSigterm,
    nodeName,
    rootDir,
    podLogsDir: values['pod-logs-dir']
      ? resolve(text(values, 'pod-logs-dir'))
      : isRoot && !embedded
        ? '/var/log/pods'
        : join(rootDir, 'logs'),
    fileCheckFrequencyMs: duration(values, 'file-check-frequency'),
    syncFrequencyMs: duration(values, 'sync-frequency'),
    maxRestartPeriodMs,
    ...(credentialPlugins && { credentialPlugins }),
    eviction: readEvictionSettings(values),
    output,
    logLevel: oneOf(values, 'log-level', logLevels),
    logFormat: output === 'json' ? 'json' : 'text',
    ...(configured && { configured }),
  };
}
