import { resolve } from 'node:path';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, oneOf, outputFlag, outputForms, readArguments, text } from '../flags.js';
import { askForPod, askForPods } from '../local-api/ask-agent.js';
import { describePod } from '../terminal/describe-pod.js';
import { namedPod, namespaceFlag, ofNamespace } from './pod-flags.js';
import { rootDirFlag } from './root-dir-flag.js';

const flags = (console: Pick<Console, 'env' | 'isRoot'>): Flag[] => [
  namespaceFlag,
  rootDirFlag(console, 'folder of the running agent, as given to "nodeagent run".'),
  outputFlag,
  helpFlag,
];

export function describeHelp(console: Pick<Console, 'env' | 'isRoot'>): string {
  return `Tells what a running agent knows of a pod: its containers, conditions and last events, and under "Worker" what the agent did
last with it and why (the event, the decision for each container, the error), which containers are in back-off, and when it is
tried again.

usage: nodeagent describe [NAMESPACE/]POD [flags]

${describeFlags(flags(console))}

POD is a pod's name, with or without the node's name at its end, or the beginning of it. The JSON has times as milliseconds
since 1970, and the environment of containers as the manifest has it.

Exit codes: 0 told, 1 no such pod or no agent, 2 wrong flags.
`;
}

export const describeCommand: Command = { flags, help: describeHelp, firstWord: 'pod', run: describe };

/** `nodeagent describe`: asks the agent that runs in `--root-dir`. */
export async function describe(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags(console), args, 1);
  const [wanted] = words;
  if (!wanted) throw badUsage('describe: which pod? "nodeagent pods" lists them');
  const output = oneOf(values, 'output', outputForms);
  const rootDir = resolve(text(values, 'root-dir'));
  const { metadata = {} } = namedPod(ofNamespace(await askForPods(rootDir), values), wanted).pod;
  const answer = await askForPod(rootDir, metadata.namespace ?? '', metadata.name ?? '');
  console.stdout.write(output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : `${describePod(answer).join('\n')}\n`);
  return 0;
}
