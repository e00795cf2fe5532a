import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '@nodeagent/api';
import type { Rhythm, TestCluster } from '@nodeagent/test-cluster';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { listenForEnd } from '../end-requests.js';
import { badUsage, describeFlags, type Flag, type FlagValues, helpFlag, oneOf, readFlags, text } from '../flags.js';
import { loadOptional } from '../load-optional.js';
import { simulatedBehaviour } from './simulated-behaviour.js';

const mostNodes = 5_000;
/** From so many nodes on agents are calm unless told otherwise. */
const manyNodes = 50;

const rhythms = ['auto', 'kubelet', 'calm'] as const;

const flags: readonly Flag[] = [
  { name: 'nodes', value: 'N', default: '3', help: `how many nodes, 0 to ${mostNodes}.` },
  { name: 'port', value: 'PORT', default: '0', help: 'port of the API server on 127.0.0.1; 0: any that is free.' },
  { name: 'kubeconfig', value: 'FILE', default: 'simulated-cluster.kubeconfig', help: 'where to write a kubeconfig of an administrator.' },
  { name: 'speed', value: 'N', default: '1', help: 'how many times as fast as real time passes: 60 makes a minute a second.' },
  { name: 'seed', value: 'N', default: '1', help: 'whole number that jitter, names and uids come from.' },
  {
    name: 'rhythm',
    value: 'RHYTHM',
    choices: rhythms,
    default: 'auto',
    help: `how often agents do what they do without cause: "kubelet", "calm" for large clusters, or "auto": calm from ${manyNodes} nodes on.`,
  },
  helpFlag,
];

export function simulateClusterHelp(): string {
  return `Runs a cluster in this process that kubectl and any other client can use: an API server, a scheduler, controllers of Deployments,
ReplicaSets, DaemonSets and Jobs, and nodes with real agents whose containers only pretend.

usage: nodeagent simulate-cluster [flags]

${describeFlags(flags)}

It needs the package @nodeagent/test-cluster beside the command: npm install @nodeagent/test-cluster

Then: kubectl --kubeconfig simulated-cluster.kubeconfig get nodes

A container runs until it is stopped. Its pod may say otherwise by the variables SIMULATE_EXIT_AFTER (seconds) and SIMULATE_EXIT_CODE
of its first container.

Exit codes: 0 ended, 1 failed, 2 wrong flags.
`;
}

export const simulateClusterCommand: Command = { flags: () => flags, help: simulateClusterHelp, run: simulateCluster };

/** `nodeagent simulate-cluster`: serves a cluster of simulated nodes until told to end. */
export async function simulateCluster(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(flags, args);
  const nodes = wholeNumber(values, 'nodes', mostNodes);
  const port = wholeNumber(values, 'port', 65_535);
  const seed = wholeNumber(values, 'seed', 2 ** 31);
  const speed = Number(text(values, 'speed'));
  if (!(speed > 0 && speed <= 1e5)) throw badUsage(`--speed: "${values.speed}" is not a number above 0 and not above 100000`);
  const asked = oneOf(values, 'rhythm', rhythms);
  const rhythm: Rhythm = asked === 'auto' ? (nodes >= manyNodes ? 'calm' : 'kubelet') : asked;
  const kubeconfig = resolve(text(values, 'kubeconfig'));

  const { createTestCluster, keepPace } = await loadOptional('@nodeagent/test-cluster', () => import('@nodeagent/test-cluster'));
  const end = listenForEnd(console, systemClock.monotonic);
  let cluster: TestCluster | undefined;
  try {
    cluster = await createTestCluster({ nodes, seed, rhythm, traceLimit: 0, start: systemClock.now() });
    cluster.script({}, simulatedBehaviour);
    const url = await cluster.server.listen({ tls: true, port });
    writeFileSync(kubeconfig, cluster.server.kubeconfig({ user: { username: 'admin', groups: ['system:masters'] } }), { mode: 0o600 });
    const pace = speed === 1 ? 'in real time' : `${speed} times as fast as real time`;
    console.stdout.write(`simulated cluster of ${nodes} nodes at ${url}, ${pace}\n  kubectl --kubeconfig ${kubeconfig} get nodes\n`);
    await keepPace(cluster.clock, { speed, signal: end.first });
    return 0;
  } finally {
    end.stopListening();
    await cluster?.stop();
  }
}

function wholeNumber(values: FlagValues, name: string, most: number): number {
  const value = Number(text(values, name));
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw badUsage(`--${name}: "${values[name]}" is not a whole number from 0 to ${most}`);
}
