import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type AgentConfiguration, mergeAgentConfigurations } from '@nodeagent/core';
import { duration, type Flag, type FlagValues, helpFlag, setting, text } from '../flags.js';
import { logLevels } from '../log.js';
import { certificateFlags, readCertificateConfiguration } from './certificate-flags.js';
import { clusterFlags, readNodeConfiguration } from './cluster-flags.js';
import { configFlags } from './config-files.js';
import { evictionFlags, readEvictionSettings } from './eviction-flags.js';
import { imageCredentialFlags } from './image-credentials.js';
import { readResourceManagers, resourceManagerFlags } from './resource-manager-flags.js';
import { rootDirFlag } from './root-dir-flag.js';
import { readServerConfiguration, serverFlags } from './server-flags.js';

/** The flags of `nodeagent run`, with the kubelet's names where they exist there. */
export function runFlags(env: NodeJS.ProcessEnv, isRoot: boolean): Flag[] {
  return [
    {
      name: 'manifests',
      short: 'f',
      value: 'PATH',
      defaultText: `${defaultManifests}; none with --kubeconfig or --manifest-url`,
      help: 'directory of pod manifests, or one manifest file: YAML or JSON, several documents to a file. Changes are applied immediately.',
    },
    { name: 'manifest-url', value: 'URL', defaultText: 'none', help: 'URL of pod manifests, fetched every 20s.' },
    {
      name: 'kubeconfig',
      value: 'FILE',
      defaultText: 'no cluster',
      help: 'join the cluster of this kubeconfig: register the Node, run the pods bound to it, report their statuses.',
    },
    {
      name: 'runtime-endpoint',
      value: 'ENDPOINT',
      default: 'embedded',
      help: 'container runtime: "embedded" runs containers as plain processes of this machine (image: host) and stops them with the agent; unix:///path speaks CRI to containerd, CRI-O or "nodeagent runtime".',
    },
    {
      name: 'image-service-endpoint',
      value: 'ENDPOINT',
      defaultText: 'the runtime endpoint',
      help: 'endpoint of the CRI image service.',
    },
    {
      name: 'stop-pods-on-exit',
      defaultText: 'off',
      help: 'with an external runtime: stop all pods when the agent stops, instead of leaving them running.',
    },
    {
      name: 'shutdown-on-sigterm',
      defaultText: "off; systemd's logind reports the machine's shutdown",
      help: 'treat SIGTERM as a machine shutdown: terminate pods by priority within shutdownGracePeriod of the configuration, then stop. For machines without logind; without this flag SIGTERM leaves containers running, for upgrades.',
    },
    {
      name: 'node-name',
      value: 'NAME',
      default: hostname().toLowerCase(),
      defaultText: 'the host name, in lower case',
      help: 'name of this node; suffix of static pod names. In a cluster the identity must be system:node:NAME.',
    },
    ...configFlags,
    ...clusterFlags,
    ...certificateFlags,
    ...serverFlags,
    rootDirFlag({ env, isRoot }, 'root directory of the agent.'),
    {
      name: 'pod-logs-dir',
      value: 'DIR',
      defaultText: '/var/log/pods as root on an external runtime, else ROOT-DIR/logs',
      help: 'directory of container logs: NAMESPACE_POD_UID/CONTAINER/RESTART.log.',
    },
    {
      name: 'cgroups-per-qos',
      defaultText: 'on as root with an external runtime',
      help: 'create a cgroup with its limits for each pod, below that of its QoS class. Needs root and a runtime such as containerd or CRI-O. Off: --cgroups-per-qos=false.',
    },
    {
      name: 'cgroup-root',
      value: 'PATH',
      defaultText: 'the root',
      help: 'cgroup below which that of all pods, kubepods, is created. Two agents on one machine need different ones.',
    },
    {
      name: 'device-plugins',
      defaultText: 'on as root with an external runtime',
      help: 'run the device plugins that register in ROOT-DIR/device-plugins, and serve the pod resources API on ROOT-DIR/pod-resources/kubelet.sock. Off: --device-plugins=false.',
    },
    {
      name: 'file-check-frequency',
      value: 'DURATION',
      default: '20s',
      help: 'period at which manifests are read again without a change notification.',
    },
    { name: 'sync-frequency', value: 'DURATION', default: '1m', help: 'resync period of healthy pods.' },
    {
      name: 'max-restart-period',
      value: 'DURATION',
      default: '5m',
      help: 'maximum restart back-off of a crashing container, 1s to 5m.',
    },
    ...imageCredentialFlags,
    ...resourceManagerFlags,
    ...evictionFlags,
    {
      name: 'output',
      short: 'o',
      value: 'FORM',
      choices: runOutputs,
      default: 'auto',
      help: 'output: "table" (live table of the pods), "log" (plain lines), "json" (lines of JSON) or "auto": the table on a terminal, else plain lines.',
    },
    {
      name: 'log-level',
      value: 'LEVEL',
      choices: logLevels,
      default: 'info',
      help: 'minimum level of log lines: debug, info, warn or error. The table shows warnings and errors only, unless this is debug.',
    },
    helpFlag,
  ];
}

export const defaultManifests = '/etc/kubernetes/manifests';

export const runOutputs = ['auto', 'table', 'log', 'json'] as const;
export type RunOutput = (typeof runOutputs)[number];

/** Converts the flags' values to a configuration, without unset flags. Throws `BAD_USAGE` naming the flag. */
export function readFlagConfiguration(values: FlagValues): AgentConfiguration {
  return mergeAgentConfigurations(readNodeConfiguration(values), {
    agent: {
      ...(values['pod-logs-dir'] && { podLogsDir: resolve(text(values, 'pod-logs-dir')) }),
      settings: {
        ...setting(values, 'sync-frequency', 'syncFrequencyMs', duration),
        ...(typeof values['cgroups-per-qos'] === 'boolean' && { cgroupsPerQOS: values['cgroups-per-qos'] }),
        ...(typeof values['device-plugins'] === 'boolean' && { devicePlugins: values['device-plugins'] }),
        ...(values['cgroup-root'] && { cgroupRoot: text(values, 'cgroup-root') }),
        ...setting(values, 'max-restart-period', 'maxContainerRestartPeriodMs', duration),
      },
      eviction: { settings: readEvictionSettings(values) },
      resourceManagers: readResourceManagers(values),
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
    certificates: readCertificateConfiguration(values),
  });
}
