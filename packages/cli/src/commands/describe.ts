import { resolve } from 'node:path';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, oneOf, outputFlag, outputForms, readArguments, text } from '../flags.js';
import { fetchPod, fetchPods } from '../local-api/agent-client.js';
import { describeNode } from '../terminal/describe-node.js';
import { describePod } from '../terminal/describe-pod.js';
import { printableJson } from '../terminal/printable.js';
import { namedPod, namespaceFlag, ofNamespace } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  namespaceFlag,
  rootDirFlag(console, 'root directory of the running agent.'),
  outputFlag,
  helpFlag,
];

export function describeHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Describes the node of a running agent: its runtime, cluster and certificates; or a pod: its containers, conditions and last
events. The section "Worker" shows the last sync and its reason (the event, the decision for each container, the error), the
containers in back-off, and the time of the next sync.

usage: nodeagent describe node [flags]
       nodeagent describe [NAMESPACE/]POD [flags]

${describeFlags(flags(console))}

POD is a pod's name (NAMESPACE/node for a pod of this name), with or without the node's name at its end, or a unique prefix. Times
in JSON are milliseconds since 1970. JSON includes the environment of containers.

Exit codes: 0 success, 1 no such pod or no agent, 2 invalid flags.
`;
}

export const describeCommand: Command = { flags, help: describeHelp, firstWord: 'pod', run: describe };

/** `nodeagent describe`: queries the agent of `--root-dir`. */
export async function describe(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags(console), args, 1);
  const [wanted] = words;
  if (!wanted) throw badUsage('describe: POD is required; "nodeagent pods" lists the pods');
  const output = oneOf(values, 'output', outputForms);
  const rootDir = resolve(text(values, 'root-dir'));
  if (wanted === 'node') {
    const { pods: _, ...node } = await fetchPods(rootDir);
    console.stdout.write(output === 'json' ? `${printableJson(node, 2)}\n` : `${describeNode(node).join('\n')}\n`);
    return 0;
  }
  const { metadata = {} } = namedPod(ofNamespace(await fetchPods(rootDir), values), wanted).pod;
  const answer = await fetchPod(rootDir, metadata.namespace ?? '', metadata.name ?? '');
  console.stdout.write(output === 'json' ? `${printableJson(answer, 2)}\n` : `${describePod(answer).join('\n')}\n`);
  return 0;
}
