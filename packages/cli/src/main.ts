import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { nearestName } from '@nodeagent/api/helpers';
import { commandNames, commands, isCommand, loadCommand } from './commands.js';
import { complete } from './complete.js';
import { type Console, systemConsole, wantsColours } from './console.js';
import { wantsHelp } from './flags.js';
import { paint } from './terminal/paint.js';
import { printableLines } from './terminal/printable.js';
import { version } from './version.js';

const nameWidth = Math.max(...commandNames.map(({ length }) => length));

const usage = `nodeagent ${version}: a Kubernetes node agent that runs pods of manifests or of a cluster

usage: nodeagent COMMAND [flags]

${commandNames.map((name) => `  ${name.padEnd(nameWidth)}  ${commands[name].summary}`).join('\n')}

"nodeagent help COMMAND" or "nodeagent COMMAND --help" explains a command.

Try it: "nodeagent dev" prints what to type next.
`;

/** Runs the command line and resolves to the exit code: 0 success, 1 failure, 2 invalid usage, 130 interrupted twice. */
export async function main(args: readonly string[], console: Console = systemConsole): Promise<number> {
  try {
    return await dispatch(args, console);
  } catch (error) {
    const hint = (error as { hint?: unknown }).hint;
    const label = wantsColours(console.stderr, console.env) ? paint('red', 'error:') : 'error:';
    const text = typeof hint === 'string' ? `${errorMessage(error)}\n  ${hint}` : errorMessage(error);
    console.stderr.write(`${label} ${printableLines(text)}\n`);
    if (errorCode(error) !== 'BAD_USAGE') return 1;
    console.stderr.write(`  see nodeagent ${isCommand(args[0]) ? `${args[0]} ` : ''}--help\n`);
    return 2;
  }
}

async function dispatch([name, ...args]: readonly string[], console: Console): Promise<number> {
  if (name === '__complete') return complete(args, console);
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    console.stdout.write(await helpText(args[0], console));
    return 0;
  }
  if (name === 'version' || name === '--version') {
    const [argument] = args;
    if (argument !== undefined && !isHelp(argument)) throw new NodeAgentError('BAD_USAGE', `version: unexpected argument "${argument}"`);
    console.stdout.write(argument === undefined ? `nodeagent ${version}\n` : usage);
    return 0;
  }
  const command = await loadCommand(known(name));
  if (!wantsHelp(command.flags(console), args)) return command.run(args, console);
  console.stdout.write(command.help(console));
  return 0;
}

async function helpText(name: string | undefined, console: Console): Promise<string> {
  if (name === undefined || isHelp(name)) return usage;
  const command = known(name);
  return command === 'help' || command === 'version' ? usage : (await loadCommand(command)).help(console);
}

const isHelp = (argument: string) => ['-h', '--help'].includes(argument);

function known(name: string): (typeof commandNames)[number] {
  if (isCommand(name)) return name;
  const near = nearestName(name, commandNames);
  throw new NodeAgentError('BAD_USAGE', `unknown command "${name}"${near ? `; did you mean "${near}"?` : ''}`);
}
