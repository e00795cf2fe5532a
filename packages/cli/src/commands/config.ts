import { resolve } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { nearestName } from '@nodeagent/api/helpers';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, readArguments, text } from '../flags.js';
import { convertConfigFiles, type ReadConfigFiles, readConfigFiles } from './config-files.js';
import { runFlags } from './run-flags.js';
import { mergedConfiguration } from './run-options.js';

const actions = ['validate', 'print-defaults'] as const;

const flags: readonly Flag[] = [
  { name: 'config-dir', value: 'DIR', defaultText: 'none', help: 'for validate: directory of drop-in files NAME.conf.' },
  helpFlag,
];

export function configHelp(): string {
  return `Checks a kubelet's configuration file, KubeletConfiguration of kubelet.config.k8s.io/v1beta1, or prints one.

usage: nodeagent config validate FILE [flags]
       nodeagent config print-defaults

${describeFlags(flags)}

validate prints every error on one line: wrong types, values that a kubelet or "nodeagent run" rejects, and unknown or repeated
fields, which a kubelet would ignore. print-defaults prints the configuration of an empty file.

Exit codes: 0 valid, 1 invalid, 2 invalid flags.
`;
}

export const configCommand: Command = { flags: () => flags, help: configHelp, firstWord: actions, run: config };

/** `nodeagent config`: exit code 0 if the configuration is valid, else 1. */
export async function config(args: readonly string[], console: Console): Promise<number> {
  const { values, words } = readArguments(flags, args, 2);
  const [action, file] = words;
  const { printDefaults } = await import('@nodeagent/kubelet-config');
  switch (action) {
    case 'print-defaults':
      if (file !== undefined) throw badUsage(`unexpected argument "${file}"`);
      console.stdout.write(await printDefaults());
      return 0;
    case 'validate':
      if (file === undefined) throw badUsage('config validate: FILE is required');
      return validate(resolve(file), values['config-dir'] === undefined ? undefined : resolve(text(values, 'config-dir')), console);
    default: {
      const near = action && nearestName(action, actions);
      throw badUsage(
        action
          ? `config: unknown action "${action}"${near ? `; did you mean "${near}"?` : ''}`
          : `config: an action is required: ${actions.join(' or ')}`,
      );
    }
  }
}

async function validate(file: string, configDir: string | undefined, console: Console): Promise<number> {
  const read = await readConfigFiles({ config: file, ...(configDir && { configDir }) });
  for (const path of read.skipped) console.stdout.write(`skipped: ${path} does not end in .conf\n`);
  const refused = read.problems.length > 0 ? read.problems : await refusals(read, console);
  const problems = [...read.warnings, ...refused];
  if (problems.length > 0) throw new NodeAgentError('INVALID_CONFIGURATION', [`${file} is invalid:`, ...problems].join('\n  '));
  console.stdout.write(`${file} is valid\n`);
  return 0;
}

/** Why `nodeagent run` without other flags refuses files that a kubelet's validation accepts: it reads thresholds and URLs at start. */
async function refusals(read: ReadConfigFiles, { env, isRoot }: Console): Promise<string[]> {
  try {
    const files = await convertConfigFiles(read);
    mergedConfiguration({ flags: runFlags(env, isRoot), given: {}, files, inCluster: true, name: (_flag, field) => field });
    return [];
  } catch (error) {
    return [errorMessage(error).replace(`${read.name}: `, '')];
  }
}
