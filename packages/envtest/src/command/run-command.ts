import { errorHint, errorMessage } from '@nodeagent/api';
import { writeAssets } from '../assets/write-assets.js';
import { parseFlags, usage } from './flags.js';

/** What the command writes to. */
export interface CommandPorts {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person reads the output, who needs a hint how to use the path. */
  isTerminal: boolean;
  version: string;
}

/** Runs the command `envtest`. Returns its exit code: 0, 1 for a failure, 2 for wrong arguments. */
export function runCommand(args: readonly string[], { out, err, isTerminal, version }: CommandPorts): number {
  let flags: ReturnType<typeof parseFlags>;
  try {
    flags = parseFlags(args);
  } catch (error) {
    err(`envtest: ${errorMessage(error)}\n\n${usage}`);
    return 2;
  }
  if (typeof flags === 'string') {
    out(flags === 'help' ? usage : `envtest ${version}\n`);
    return 0;
  }
  try {
    const folder = writeAssets(flags);
    out(`${folder}\n`);
    if (isTerminal) err(`stand-ins of kube-apiserver, etcd and kubectl; to use them: export KUBEBUILDER_ASSETS='${folder}'\n`);
    return 0;
  } catch (error) {
    const hint = errorHint(error);
    err(`envtest: ${errorMessage(error)}${hint ? `: ${hint}` : ''}\n`);
    return 1;
  }
}
