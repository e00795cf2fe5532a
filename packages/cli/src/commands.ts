import type { Command } from './command.js';

interface CommandEntry {
  summary: string;
  /** Loads the command, so that only the one that runs is loaded; absent for those that the command line itself answers. */
  load?(): Promise<Command>;
}

/** All commands, in the order of the help. */
export const commands = {
  dev: {
    summary: 'run a cluster of one node on this machine, for kubectl: an API server and pods as plain processes',
    load: async () => (await import('./commands/dev.js')).devCommand,
  },
  run: {
    summary: 'run the pods of a directory of manifests, or of a cluster',
    load: async () => (await import('./commands/run.js')).runCommand,
  },
  pods: {
    summary: 'list the pods of a running agent',
    load: async () => (await import('./commands/pods.js')).podsCommand,
  },
  describe: {
    summary: 'describe a pod of a running agent, including its last sync with the reason, and the next sync',
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
    summary: 'show the resource usage of the node and its pods, and the eviction thresholds',
    load: async () => (await import('./commands/top.js')).topCommand,
  },
  evict: {
    summary: 'show which pod would be evicted next, and why (--dry-run)',
    load: async () => (await import('./commands/top.js')).evictCommand,
  },
  image: {
    summary: 'pull, list, inspect, remove, mount, import and export images, without a daemon',
    load: async () => (await import('./commands/image/image.js')).imageCommand,
  },
  runtime: {
    summary: 'serve a container runtime on a CRI socket: containers by crun or runc, or plain processes',
    load: async () => (await import('./commands/runtime.js')).runtimeCommand,
  },
  doctor: {
    summary: 'check whether this machine can run pods in containers, and name what to install',
    load: async () => (await import('./commands/doctor.js')).doctorCommand,
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

/** Loads the command of this name. Must not be called for `version` and `help`, which have none. */
export async function loadCommand(name: CommandName): Promise<Command> {
  const { load } = commands[name] as CommandEntry;
  if (load === undefined) throw new Error(`no module for command ${name}`);
  return load();
}
