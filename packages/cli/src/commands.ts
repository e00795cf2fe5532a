import type { Command } from './command.js';

interface CommandEntry {
  summary: string;
  /** Only the command that runs is loaded; absent for those that the command line itself answers. */
  load?(): Promise<Command>;
}

/** All commands, in the order in which the help lists them. */
export const commands = {
  run: {
    summary: 'run the pods of a folder of manifests and keep them running',
    load: async () => (await import('./commands/run.js')).runCommand,
  },
  pods: {
    summary: 'list the pods of a running agent',
    load: async () => (await import('./commands/pods.js')).podsCommand,
  },
  describe: {
    summary: 'explain a pod of a running agent: what was done last and why, what comes next and when',
    load: async () => (await import('./commands/describe.js')).describeCommand,
  },
  logs: {
    summary: 'print the log of a container of a running agent',
    load: async () => (await import('./commands/logs.js')).logsCommand,
  },
  exec: {
    summary: 'run a command in a container of a running agent',
    load: async () => (await import('./commands/exec.js')).execCommand,
  },
  events: {
    summary: 'list the events of the pods of a running agent',
    load: async () => (await import('./commands/events.js')).eventsCommand,
  },
  top: {
    summary: 'show the usage of the node and its pods, and how near eviction is',
    load: async () => (await import('./commands/top.js')).topCommand,
  },
  evict: {
    summary: 'report which pod would be evicted next, and why: --dry-run',
    load: async () => (await import('./commands/top.js')).evictCommand,
  },
  runtime: {
    summary: 'serve the embedded runtime on a separate CRI socket',
    load: async () => (await import('./commands/runtime.js')).runtimeCommand,
  },
  'simulate-cluster': {
    summary: 'serve a cluster of simulated nodes for kubectl and any other client',
    load: async () => (await import('./commands/simulate-cluster.js')).simulateClusterCommand,
  },
  config: {
    summary: "check a kubelet's configuration file, or print one with all defaults",
    load: async () => (await import('./commands/config.js')).configCommand,
  },
  completion: {
    summary: 'print the completion script of a shell: bash, zsh or fish',
    load: async () => (await import('./commands/completion.js')).completionCommand,
  },
  version: { summary: 'print the version' },
  help: { summary: 'print this text' },
} satisfies Record<string, CommandEntry>;

export type CommandName = keyof typeof commands;

export const commandNames = Object.keys(commands) as CommandName[];

export const isCommand = (name: string | undefined): name is CommandName => name !== undefined && Object.hasOwn(commands, name);

/** The command of that name. Must not be called for `version` and `help`, which need none. */
export async function loadCommand(name: CommandName): Promise<Command> {
  const { load } = commands[name] as CommandEntry;
  if (load === undefined) throw new Error(`the command line itself answers ${name}`);
  return load();
}
