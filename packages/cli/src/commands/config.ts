import { resolve } from 'node:path';
import { NodeAgentError, nearestName } from '@nodeagent/api';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, type Flag, helpFlag, readArguments, text } from '../flags.js';

const actions = ['validate', 'print-defaults'] as const;

const flags: readonly Flag[] = [
  { name: 'config-dir', value: 'DIR', defaultText: 'none', help: 'for validate: folder of files NAME.conf that change the configuration.' },
  helpFlag,
];

export function configHelp(): string {
  return `Checks a kubelet's configuration file, KubeletConfiguration of kubelet.config.k8s.io/v1beta1, or prints one.

usage: nodeagent config validate FILE [flags]
       nodeagent config print-defaults

${describeFlags(flags)}

validate says everything that is wrong, one line each: wrong types, values that a kubelet refuses, and unknown or repeated fields,
which a kubelet would read over. print-defaults prints the configuration of a file that sets nothing.

Exit codes: 0 in order, 1 something is wrong, 2 wrong flags.
`;
}

export const configCommand: Command = { flags: () => flags, help: configHelp, firstWord: actions, run: config };

/** `nodeagent config`: exit code 0 if the configuration is in order, 1 if not. */
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
      if (file === undefined) throw badUsage('config validate: which file?');
      return validate(resolve(file), values['config-dir'] === undefined ? undefined : resolve(text(values, 'config-dir')), console);
    default: {
      const near = action && nearestName(action, actions);
      throw badUsage(
        action ? `config: unknown action "${action}"${near ? `; did you mean "${near}"?` : ''}` : `config: ${actions.join(' or ')}?`,
      );
    }
  }
}

async function validate(file: string, configDir: string | undefined, console: Console): Promise<number> {
  const { loadKubeletConfiguration, validateKubeletConfiguration } = await import('@nodeagent/kubelet-config');
  const { configuration, warnings, skipped } = await loadKubeletConfiguration({ config: file, ...(configDir && { configDir }) });
  for (const path of skipped) console.stdout.write(`skipped: ${path} does not end in .conf\n`);
  const problems = [...warnings, ...new Set(validateKubeletConfiguration(configuration))];
  if (problems.length > 0) throw new NodeAgentError('INVALID_CONFIGURATION', [`${file} is not in order:`, ...problems].join('\n  '));
  console.stdout.write(`${file} is in order\n`);
  return 0;
}
