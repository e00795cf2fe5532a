import { errorCode, errorMessage, NodeAgentError, nearestName } from '@nodeagent/api';
import { run, runHelp } from './commands/run.js';
import { type Console, systemConsole, wantsColours } from './console.js';
import { paint } from './terminal/paint.js';
import { version } from './version.js';

const commands = ['run', 'pods', 'describe', 'top', 'evict', 'runtime', 'simulate-cluster', 'config', 'version', 'help'] as const;

const usage = `nodeagent ${version}: a Kubernetes node agent that runs pods from manifests

usage: nodeagent COMMAND [flags]

  run       run the pods of a folder of manifests and keep them running
  pods      list the pods of a running agent
  describe  tell of a pod of a running agent what was done last and why, and what comes next and when
  top       show what the node and its pods use, and how near eviction is
  evict     tell which pod would be evicted next, and why: --dry-run
  runtime   serve the embedded runtime as a CRI socket of its own
  simulate-cluster  serve a cluster of simulated nodes, which kubectl and any other client can use
  config    check a kubelet's configuration file, or print one with all defaults
  version   print the version
  help      this text; "nodeagent help COMMAND" or "nodeagent COMMAND --help" explains a command

Try it: write a pod manifest with "image: host" into a folder and say "nodeagent run --manifests FOLDER".
`;

/** Runs the command line; the exit code: 0 well, 1 failed, 2 bad usage, 130 interrupted. */
export async function main(args: readonly string[], console: Console = systemConsole): Promise<number> {
  try {
    return await dispatch(args, console);
  } catch (error) {
    const hint = (error as { hint?: unknown }).hint;
    const label = wantsColours(console.stderr, console.env) ? paint('red', 'error:') : 'error:';
    console.stderr.write(`${label} ${errorMessage(error)}\n${typeof hint === 'string' ? `  ${hint}\n` : ''}`);
    if (errorCode(error) !== 'BAD_USAGE') return 1;
    console.stderr.write(`  see nodeagent ${commands.some((each) => each === args[0]) ? `${args[0]} ` : ''}--help\n`);
    return 2;
  }
}

async function dispatch([command, ...args]: readonly string[], console: Console): Promise<number> {
  switch (command) {
    case 'run':
      return run(args, console);
    case 'runtime': {
      const { runtime } = await import('./commands/runtime.js');
      return runtime(args, console);
    }
    case 'simulate-cluster': {
      const { simulateCluster } = await import('./commands/simulate-cluster.js');
      return simulateCluster(args, console);
    }
    case 'config': {
      const { config } = await import('./commands/config.js');
      return config(args, console);
    }
    case 'pods': {
      const { pods } = await import('./commands/pods.js');
      return pods(args, console);
    }
    case 'describe': {
      const { describe } = await import('./commands/describe.js');
      return describe(args, console);
    }
    case 'top': {
      const { top } = await import('./commands/top.js');
      return top(args, console);
    }
    case 'evict': {
      const { evict } = await import('./commands/top.js');
      return evict(args, console);
    }
    case 'version':
    case '--version':
      if (args.length > 0) throw new NodeAgentError('BAD_USAGE', `version: unexpected argument "${args[0]}"`);
      console.stdout.write(`nodeagent ${version}\n`);
      return 0;
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      console.stdout.write(await helpText(args[0], console));
      return 0;
    default:
      throw unknownCommand(command);
  }
}

function unknownCommand(command: string): NodeAgentError {
  const near = nearestName(command, commands);
  return new NodeAgentError('BAD_USAGE', `unknown command "${command}"${near ? `; did you mean "${near}"?` : ''}`);
}

async function helpText(command: string | undefined, console: Console): Promise<string> {
  if (command === 'run') return runHelp(console);
  if (command === 'pods') return (await import('./commands/pods.js')).podsHelp(console);
  if (command === 'describe') return (await import('./commands/describe.js')).describeHelp(console);
  if (command === 'top') return (await import('./commands/top.js')).topHelp(console);
  if (command === 'evict') return (await import('./commands/top.js')).evictHelp(console);
  if (command === 'runtime') return (await import('./commands/runtime.js')).runtimeHelp(console);
  if (command === 'simulate-cluster') return (await import('./commands/simulate-cluster.js')).simulateClusterHelp();
  if (command === 'config') return (await import('./commands/config.js')).configHelp();
  if (command !== undefined && !commands.some((each) => each === command)) throw unknownCommand(command);
  return usage;
}
