import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage, systemClock } from '@nodeagent/api';
import type { AgentPeriods, TestCluster, TestClusterOptions } from '@nodeagent/test-cluster';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, type FlagValues, helpFlag, list, oneOf, readFlags, text } from '../flags.js';
import { listenForInterrupts } from '../interrupts.js';
import { loadOptional } from '../load-optional.js';
import { type ServedClusterPage, serveClusterPage } from './cluster-page.js';
import { loadClusterSetup } from './cluster-setup.js';
import { simulatedBehaviour } from './simulated-behaviour.js';

const maxNodes = 5_000;
/** Plugins of a cluster that tests do without by default. */
const clusterPlugins = ['NodeRestriction', 'TaintNodesByCondition', 'StorageObjectInUseProtection'];
/** The default class of claims: its volumes are folders of the simulated nodes. */
const standardClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'nodeagent/simulated',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
};
/** The pods of the n-th simulated node have addresses of the n-th range of 256 in it. */
const podRange = '10.64.0.0/10';
/** The API server, with what clusters have and tests do without by default. */
const serverOptions: TestClusterOptions['server'] = {
  automountServiceAccountTokens: true,
  enableAdmissionPlugins: clusterPlugins,
  endpoints: true,
  tokenSecrets: true,
  nodeIpam: { clusterCIDRs: [podRange] },
  nodeTtl: true,
  certificateSigner: {},
};
/** Number of nodes from which `auto` means `long`. */
const manyNodes = 50;

const periodChoices = ['auto', 'kubelet', 'long'] as const;

const flags: readonly Flag[] = [
  { name: 'nodes', value: 'N', default: '3', help: `number of nodes, 0 to ${maxNodes}.` },
  { name: 'port', value: 'PORT', default: '0', help: 'port of the API server on 127.0.0.1; 0: any free port.' },
  {
    name: 'kubeconfig',
    value: 'FILE',
    default: 'simulated-cluster.kubeconfig',
    help: 'file to which the kubeconfig of an administrator is written.',
  },
  { name: 'speed', value: 'N', default: '1', help: 'speed of virtual time: 60 makes a minute pass in a second.' },
  { name: 'seed', value: 'N', default: '1', help: 'seed of jitter, names and UIDs, a whole number.' },
  {
    name: 'periods',
    value: 'PERIODS',
    choices: periodChoices,
    default: 'auto',
    help: `periods of the agents' resyncs and heartbeats: "kubelet", "long" for large clusters, or "auto": long from ${manyNodes} nodes on.`,
  },
  {
    name: 'setup',
    value: 'FILE',
    defaultText: 'none',
    help: 'JavaScript module that exports a function "setup". It gets the cluster before the API server listens, such as for cluster.image("shop:1", program), cluster.script(...) and cluster.apply(...).',
  },
  {
    name: 'service-url',
    value: 'NAMESPACE/NAME=URL[,...]',
    defaultText: 'none',
    help: 'URLs of Services of webhooks and APIServices that run outside of the cluster, such as default/hooks=https://127.0.0.1:9443. Their certificates must be for NAME.NAMESPACE.svc.',
  },
  {
    name: 'service-certs',
    value: 'FOLDER',
    defaultText: 'none',
    help: 'folder to which such a certificate and its key are written, as tls.crt and tls.key. The API server trusts it without a caBundle.',
  },
  {
    name: 'ui',
    defaultText: 'off',
    help: 'serve a page for browsers on 127.0.0.1: nodes, their pods and a timeline of problems. It needs no credentials, as the API server needs none, and refuses requests of other websites.',
  },
  { name: 'ui-port', value: 'PORT', default: '0', help: 'port of the page of --ui on 127.0.0.1; 0: any free port.' },
  helpFlag,
];

export function simulateClusterHelp(): string {
  return `Runs a simulated cluster in this process for kubectl and any other client: an API server, a scheduler, controllers of
workloads, and nodes with real agents and simulated containers.

usage: nodeagent simulate-cluster [flags]

${describeFlags(flags)}

It requires the package @nodeagent/test-cluster: npm install @nodeagent/test-cluster

Then: kubectl --kubeconfig simulated-cluster.kubeconfig get nodes

Claims get volumes of the class "standard", which are folders of the simulated nodes.

A container runs until it is stopped, or as set by its environment variables SIMULATE_EXIT_AFTER (seconds) and SIMULATE_EXIT_CODE.
It uses 5m of CPU and 16Mi of memory, or what its variables SIMULATE_CPU and SIMULATE_MEMORY set.
Containers of an image to which --setup gives a program run the program: it serves HTTP, writes logs and exits by itself.

With --ui it prints the address of a page: the nodes with their pods, which open to their containers, conditions and events, and the timeline.

Exit codes: 0 success, 1 failure, 2 invalid flags.
`;
}

export const simulateClusterCommand: Command = { flags: () => flags, help: simulateClusterHelp, run: simulateCluster };

/** `nodeagent simulate-cluster`: serves a cluster of simulated nodes until interrupted. */
export async function simulateCluster(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(flags, args);
  const { nodes, seed, periods, speed, port, uiPort, kubeconfig, services, certificates } = readOptions(values);

  const { createTestCluster, keepPace } = await loadOptional('@nodeagent/test-cluster', () => import('@nodeagent/test-cluster'));
  const { machineNetwork, readServiceUrls, writeServiceCertificate } = await loadOptional(
    '@nodeagent/test-api-server',
    () => import('@nodeagent/test-api-server/node'),
  );
  const serviceUrls = valid('service-url', () => readServiceUrls(services));
  const setUp = await loadClusterSetup(values.setup === undefined ? undefined : resolve(text(values, 'setup')));
  const end = listenForInterrupts(console, systemClock.monotonic);
  let cluster: TestCluster | undefined;
  let page: ServedClusterPage | undefined;
  try {
    cluster = await createTestCluster({
      nodes,
      seed,
      periods,
      traceLimit: 0,
      start: systemClock.now(),
      node: { runtime: { behaviour: simulatedBehaviour } },
      server: { ...serverOptions, network: machineNetwork, serviceUrls },
    });
    if (certificates) writeServiceCertificate(cluster.server, certificates, services);
    cluster.apply(standardClass);
    if (uiPort !== undefined) page = await serveClusterPage(cluster, { speed, port: uiPort });
    await setUp(cluster);
    const url = await cluster.server.listen({ tls: true, port });
    writeFileSync(kubeconfig, cluster.server.kubeconfig({ user: { username: 'admin', groups: ['system:masters'] } }), { mode: 0o600 });
    const pace = speed === 1 ? 'in real time' : `${speed} times as fast as real time`;
    console.stdout.write(`simulated cluster of ${nodes} nodes at ${url}, ${pace}\n  kubectl --kubeconfig ${kubeconfig} get nodes\n`);
    if (page) console.stdout.write(`  page of the cluster: ${page.url}\n`);
    await keepPace(cluster.clock, { speed, signal: end.first });
    return 0;
  } finally {
    end.stopListening();
    page?.close();
    await cluster?.stop();
  }
}

/** What the flags set; `uiPort` is undefined without --ui. */
function readOptions(values: FlagValues) {
  const nodes = wholeNumber(values, 'nodes', maxNodes);
  const speed = Number(text(values, 'speed'));
  if (!(speed > 0 && speed <= 1e5)) throw badUsage(`--speed: "${values.speed}" is not a number above 0 and up to 100000`);
  const asked = oneOf(values, 'periods', periodChoices);
  const periods: AgentPeriods = asked === 'auto' ? (nodes >= manyNodes ? 'long' : 'kubelet') : asked;
  const uiPort = wholeNumber(values, 'ui-port', 65_535);
  if (uiPort > 0 && !values.ui) throw badUsage('--ui-port: requires --ui');
  const services = list(values, 'service-url');
  const certificates = values['service-certs'] && text(values, 'service-certs');
  if (certificates && services.length === 0) throw badUsage('--service-certs: requires --service-url');
  return {
    ...{ nodes, speed, periods, services, certificates },
    seed: wholeNumber(values, 'seed', 2 ** 31),
    port: wholeNumber(values, 'port', 65_535),
    uiPort: values.ui ? uiPort : undefined,
    kubeconfig: resolve(text(values, 'kubeconfig')),
  };
}

/** What a flag is read as; an error of `read` names the flag. */
function valid<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw badUsage(`--${flag}: ${errorMessage(error)}`, error);
  }
}

function wholeNumber(values: FlagValues, name: string, max: number): number {
  const value = Number(text(values, name));
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw badUsage(`--${name}: "${values[name]}" is not a whole number from 0 to ${max}`);
}
