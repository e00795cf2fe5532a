import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type AgentConfiguration, mergeAgentConfigurations } from '@nodeagent/core';
import { duration, type Flag, type FlagValues, helpFlag, setting, text } from '../flags.js';
import { logLevels } from '../log.js';
import { clusterFlags, readNodeConfiguration } from './cluster-flags.js';
import { configFlags } from './config-files.js';
import { evictionFlags, readEvictionSettings } from './eviction-flags.js';
import { imageCredentialFlags } from './image-credentials.js';
import { rootDirFlag } from './root-dir-flag.js';
import { readServerConfiguration, serverFlags } from './server-flags.js';

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

export const defaultManifests = '/etc/kubernetes/manifests';

export const runOutputs = ['auto', 'table', 'log', 'json'] as const;
export type RunOutput = (typeof runOutputs)[number];

/** The flags of these values as a configuration; flags without a value are absent. Throws `BAD_USAGE` naming the flag. */
export function readFlagConfiguration(values: FlagValues): AgentConfiguration {
  return mergeAgentConfigurations(readNodeConfiguration(values), {
    agent: {
      ...(values['pod-logs-dir'] && { podLogsDir: resolve(text(values, 'pod-logs-dir')) }),
      settings: {
        ...setting(values, 'sync-frequency', 'syncFrequencyMs', duration),
        ...setting(values, 'max-restart-period', 'maxContainerRestartPeriodMs', duration),
      },
      eviction: { settings: readEvictionSettings(values) },
    },
    runtime: {
      ...setting(values, 'runtime-endpoint', 'endpoint', text),
      ...(values['image-service-endpoint'] && { imageEndpoint: text(values, 'image-service-endpoint') }),
    },
    staticPods: {
      ...setting(values, 'manifests', 'path', text),
      ...setting(values, 'manifest-url', 'url', text),
      ...setting(values, 'file-check-frequency', 'checkIntervalMs', duration),
    },
    server: readServerConfiguration(values),
  });
}
