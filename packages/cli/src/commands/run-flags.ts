import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Flag, helpFlag, text } from '../flags.js';
import { logLevels } from '../log.js';
import { clusterFlags } from './cluster-flags.js';
import { configFlags } from './config-files.js';
import { evictionFlags } from './eviction-flags.js';
import { handlerFlag } from './handler-flag.js';
import { imageCredentialFlags } from './image-credentials.js';
import { resourceManagerFlags } from './resource-manager-flags.js';
import { rootDirFlag } from './root-dir-flag.js';
import { runtimeTypes } from './runtime-types.js';
import { serverFlags } from './server-flags.js';
import { settingFlag } from './setting-flag.js';

export const defaultManifests = '/etc/kubernetes/manifests';

export const runOutputs = ['auto', 'table', 'log', 'json'] as const;
export type RunOutput = (typeof runOutputs)[number];

const podSourceFlags: readonly Flag[] = [
  settingFlag(
    'manifests',
    'staticPods.path',
    'directory of pod manifests, or one manifest file: YAML or JSON, several documents to a file. Changes are applied immediately.',
    { short: 'f', value: 'PATH', defaultText: `${defaultManifests}; none with --kubeconfig or --manifest-url` },
  ),
  {
    name: 'once',
    defaultText: 'off',
    help: 'run the one pod of the manifest to its end, with its logs on stdout and stderr, and exit with its exit code.',
  },
  settingFlag('manifest-url', 'staticPods.url', 'URL of pod manifests, fetched every 20s.', { value: 'URL', defaultText: 'none' }),
  {
    name: 'kubeconfig',
    value: 'FILE',
    defaultText: 'no cluster; ROOT-DIR/kubeconfig with --bootstrap-kubeconfig',
    help: 'join the cluster of this kubeconfig: register the Node, run the pods bound to it, report their statuses.',
  },
];

const runtimeFlags: readonly Flag[] = [
  settingFlag(
    'runtime-endpoint',
    'runtime.endpoint',
    'container runtime: "oci" runs containers by crun or runc, as root; "process" runs plain processes of this machine without isolation (image: host) and stops them with the agent; unix:///path speaks CRI to containerd, CRI-O or "nodeagent runtime".',
    {
      value: 'ENDPOINT',
      choices: runtimeTypes,
      defaultText: 'oci where the machine has what it needs, else process; the first line of the output names it, "nodeagent doctor" why',
    },
  ),
  settingFlag('image-service-endpoint', 'runtime.imageEndpoint', 'endpoint of the CRI image service.', {
    value: 'ENDPOINT',
    defaultText: 'the runtime endpoint',
  }),
  handlerFlag,
  settingFlag(
    'cgroup-driver',
    'agent.settings.cgroupDriver',
    'who creates the cgroups of containers, with the runtime "oci": "systemd" needs systemd as the init process. Runtimes behind a socket report theirs; this is for those that do not.',
    { value: 'DRIVER', defaultText: 'cgroupfs' },
  ),
  {
    name: 'stop-pods-on-exit',
    defaultText: 'off',
    help: 'stop all pods when the agent stops, instead of leaving them running. Plain processes always stop with the agent.',
  },
  {
    name: 'shutdown-on-sigterm',
    defaultText: "off; systemd's logind reports the machine's shutdown",
    help: 'treat SIGTERM as a machine shutdown: terminate pods by priority within shutdownGracePeriod of the configuration, then stop. For machines without logind; without this flag SIGTERM leaves containers running, for upgrades.',
  },
];

const nodeNameFlag: Flag = {
  name: 'node-name',
  value: 'NAME',
  default: hostname().toLowerCase(),
  defaultText: 'the host name, in lower case',
  help: 'name of this node; suffix of static pod names. In a cluster the identity must be system:node:NAME.',
};

const podFlags: readonly Flag[] = [
  settingFlag('pod-logs-dir', 'agent.podLogsDir', 'directory of container logs: NAMESPACE_POD_UID/CONTAINER/RESTART.log.', {
    value: 'DIR',
    defaultText: '/var/log/pods as root, unless pods run as plain processes; then ROOT-DIR/logs',
    read: (values, name) => resolve(text(values, name)),
  }),
  settingFlag(
    'cgroups-per-qos',
    'agent.settings.cgroupsPerQOS',
    'create a cgroup with its limits for each pod, below that of its QoS class. Needs root and containers. Off: --cgroups-per-qos=false.',
    { defaultText: 'on as root, unless pods run as plain processes' },
  ),
  settingFlag(
    'cgroup-root',
    'agent.settings.cgroupRoot',
    'cgroup below which that of all pods, kubepods, is created. Two agents on one machine need different ones.',
    { value: 'PATH', defaultText: 'the root' },
  ),
  settingFlag(
    'device-plugins',
    'agent.settings.devicePlugins',
    'run the device plugins that register in ROOT-DIR/device-plugins, and serve the pod resources API on ROOT-DIR/pod-resources/kubelet.sock. Off: --device-plugins=false.',
    { defaultText: 'on as root, unless pods run as plain processes' },
  ),
  settingFlag(
    'file-check-frequency',
    'staticPods.checkIntervalMs',
    'period at which manifests are read again without a change notification.',
  ),
  settingFlag('sync-frequency', 'agent.settings.syncFrequencyMs', 'resync period of healthy pods.'),
  settingFlag('max-restart-period', 'agent.settings.maxContainerRestartPeriodMs', 'maximum restart back-off of a crashing container.'),
];

const outputFlags: readonly Flag[] = [
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
];

/** The flags of `nodeagent run`, with the kubelet's names where they exist there. */
export function runFlags(env: NodeJS.ProcessEnv, isRoot: boolean): Flag[] {
  return [
    ...podSourceFlags,
    ...runtimeFlags,
    nodeNameFlag,
    ...configFlags,
    ...clusterFlags,
    ...serverFlags,
    rootDirFlag({ env, isRoot }, 'root directory of the agent.'),
    ...podFlags,
    ...imageCredentialFlags,
    ...resourceManagerFlags,
    ...evictionFlags,
    ...outputFlags,
    helpFlag,
  ];
}
