import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { nearestName } from '@nodeagent/api/helpers';
import { chooseAction } from './command.js';
import { type CommandName, commandNames, commands, isCommand, loadCommand } from './commands.js';
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

/**
 * Runs the command line and resolves to the exit code: 0 success, 1 failure, 2 invalid usage, 130 interrupted (twice, for a command that stops
 * gracefully).
 */
export async function main(args: readonly string[], console: Console = systemConsole): Promise<number> {
  try {
    return await dispatch(args, console);
  } catch (error) {
    const hint = (error as { hint?: unknown }).hint;
    const label = wantsColours(console.stderr, console.env) ? paint('red', 'error:') : 'error:';
    const text = typeof hint === 'string' ? `${errorMessage(error)}\n  ${hint}` : errorMessage(error);
    console.stderr.write(`${label} ${printableLines(text)}\n`);
    if (errorCode(error) !== 'BAD_USAGE') return 1;
    console.stderr.write(`  see ${['nodeagent', ...(await namedCommand(args)), '--help'].join(' ')}\n`);
    return 2;
  }
}

async function dispatch([name, ...args]: readonly string[], console: Console): Promise<number> {
  if (name === '__complete') return (await import('./complete.js')).complete(args, console);
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    console.stdout.write(await helpText(args, console));
    return 0;
  }
  if (name === 'version' || name === '--version') {
    const [argument] = args;
    if (argument !== undefined && !isHelp(argument)) throw new NodeAgentError('BAD_USAGE', `version: unexpected argument "${argument}"`);
    console.stdout.write(argument === undefined ? `nodeagent ${version}\n` : usage);
    return 0;
  }
  const { command, args: rest } = chooseAction(await loadCommand(known(name)), args);
  if (!wantsHelp(command.flags(console), rest)) return command.run(rest, console);
  console.stdout.write(command.help(console));
  return 0;
}

/** The words that name the command and its action. */
async function namedCommand([name, ...args]: readonly string[]): Promise<string[]> {
  if (!isCommand(name)) return [];
  const { action } = isAnswered(name) ? {} : chooseAction(await loadCommand(name), args);
  return action === undefined ? [name] : [name, action];
}

/** Whether this module answers the command. */
const isAnswered = (name: CommandName) => name === 'help' || name === 'version';

async function helpText([name, ...args]: readonly string[], console: Console): Promise<string> {
  if (name === undefined || isHelp(name) || isAnswered(known(name))) return usage;
  return chooseAction(await loadCommand(known(name)), args).command.help(console);
}

const isHelp = (argument: string) => ['-h', '--help'].includes(argument);

function known(name: string): CommandName {
  if (isCommand(name)) return name;
  const near = nearestName(name, commandNames);
  throw new NodeAgentError('BAD_USAGE', `unknown command "${name}"${near ? `; did you mean "${near}"?` : ''}`);
}
