import { resolve } from 'node:path';
import { type Logger, systemClock } from '@nodeagent/api';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { serveCri } from '@nodeagent/cri-client';
import type { ProcessRuntime } from '@nodeagent/process-runtime';
import type { Command } from '../command.js';
import { type Console, wantsColours } from '../console.js';
import { describeFlags, type Flag, type FlagValues, helpFlag, list, oneOf, readFlags, text } from '../flags.js';
import { aborted, type Interrupts, listenForInterrupts } from '../interrupts.js';
import { createLineLogger, logLevels } from '../log.js';
import { defaultCniConfigDir, defaultCniPluginDirs } from '../machine/cni-folders.js';
import { processRoot } from '../oci/end-other-containers.js';
import { ociRoot } from '../oci/oci-state.js';
import type { NodeRuntimeOptions } from '../oci/open-node-runtime.js';
import { handlerFlag, readHandlers } from './handler-flag.js';
import { registriesOf, registryFlags } from './image/registry-flags.js';
import { defaultRootDir, imagesRoot } from './root-dir-flag.js';
import { runtimeTypes } from './runtime-types.js';
import { selectRuntime } from './select-runtime.js';

/** Time between the stop signal and SIGKILL of plain processes when the runtime stops. */
const stopTimeoutMs = 10_000;

const cgroupDrivers = ['cgroupfs', 'systemd'] as const;

type Context = Pick<Console, 'env' | 'isRoot'>;

function runtimeFlags(console: Context): Flag[] {
  const root = defaultRootDir(console);
  return [
    { name: 'socket', value: 'PATH', help: 'unix socket to serve CRI on (required).' },
    {
      name: 'type',
      value: 'TYPE',
      choices: runtimeTypes,
      defaultText: 'oci where the machine has what it needs, else process; "nodeagent doctor" shows what is missing',
      help: '"oci" runs containers by crun or runc, as root; "process" runs plain processes of this machine without isolation (image: host).',
    },
    {
      name: 'root-dir',
      value: 'DIR',
      defaultText: `${ociRoot(root)}, of type process ${processRoot(root)}`,
      help: 'directory of the state. One runtime at a time can use it.',
    },
    { name: 'oci-runtime', value: 'PATH', defaultText: 'crun, else runc', help: 'the OCI runtime, of type oci.' },
    handlerFlag,
    {
      name: 'cgroup-driver',
      value: 'DRIVER',
      choices: cgroupDrivers,
      default: 'cgroupfs',
      help: 'who creates the cgroups of containers, of type oci: "systemd" needs systemd as the init process.',
    },
    {
      name: 'images-dir',
      value: 'DIR',
      defaultText: `${imagesRoot(root)}; with --root-dir: ROOT-DIR/images`,
      help: 'directory of the images, of type oci: an OCI image layout, as of "nodeagent image".',
    },
    ...registryFlags,
    {
      name: 'cni-conf-dir',
      value: 'DIR',
      default: defaultCniConfigDir,
      help: 'directory of CNI configurations, of type oci. The first one is the network of the pods.',
    },
    {
      name: 'cni-bin-dir',
      value: 'DIR[,...]',
      default: defaultCniPluginDirs.join(','),
      help: 'directories of CNI plugins, of type oci.',
    },
    {
      name: 'default-network',
      defaultText: 'off',
      help: 'while there is no CNI configuration, connect pods to a bridge of this machine. Off for a cluster, whose add-on brings a configuration.',
    },
    { name: 'log-level', value: 'LEVEL', choices: logLevels, default: 'info', help: 'debug (every call), info, warn or error.' },
    helpFlag,
  ];
}

export function runtimeHelp(console: Context): string {
  return `Serves a container runtime on a CRI socket, for nodeagent, a kubelet or crictl.

usage: nodeagent runtime --socket PATH [flags]

${describeFlags(runtimeFlags(console))}

  nodeagent runtime --type oci --socket /run/nodeagent/cri.sock --default-network
  nodeagent run --runtime-endpoint unix:///run/nodeagent/cri.sock --manifests DIR
  kubelet --container-runtime-endpoint unix:///run/nodeagent/cri.sock ...
  crictl --runtime-endpoint unix:///run/nodeagent/cri.sock ps

Type oci: containers keep running when the runtime ends, and the next start adopts them. It needs root, crun or runc, conmon, CNI
plugins, util-linux and iproute2.
Type process: Ctrl-C stops the containers within ${stopTimeoutMs / 1000} s; a second Ctrl-C kills them immediately.

Exit codes: 0 stopped gracefully, 1 failure, 2 invalid flags, 130 interrupted twice.
`;
}

export const runtimeCommand: Command = { flags: runtimeFlags, help: runtimeHelp, run: runtime };

/** `nodeagent runtime`: serves until interrupted; exit code 0 after a graceful stop, 130 after a second interrupt. */
export async function runtime(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(runtimeFlags(console), args);
  const socket = resolve(text(values, 'socket').replace(/^unix:\/\//, ''));
  const wanted = values.type === undefined ? undefined : oneOf(values, 'type', runtimeTypes);
  const rootOf = (root: string) => (values['root-dir'] === undefined ? root : resolve(text(values, 'root-dir')));
  const logger = createLineLogger({
    level: oneOf(values, 'log-level', logLevels),
    format: 'text',
    colours: wantsColours(console.stdout, console.env),
    clock: systemClock,
    write: (line) => console.stdout.write(`${line}\n`),
  });
  const root = rootOf(ociRoot(defaultRootDir(console)));
  const network = networkOf(values);
  const choice = await selectRuntime(wanted, '--type', { console, root, program: programOf(values), ...network });
  logger.info(choice.text);
  const end = listenForInterrupts(console, systemClock.monotonic);
  try {
    if (choice.type === 'oci')
      return await serveOci(
        { ...foldersOf(values, root, console), ...programsOf(values), program: choice.program, ...network, logger },
        { socket, logger, end },
      );
    return await serveProcesses(rootOf(processRoot(defaultRootDir(console))), { socket, logger, end });
  } finally {
    end.stopListening();
  }
}

const programOf = (values: FlagValues) => (values['oci-runtime'] === undefined ? undefined : resolve(text(values, 'oci-runtime')));

const programsOf = (values: FlagValues) => ({
  handlers: readHandlers(values),
  cgroupDriver: oneOf(values, 'cgroup-driver', cgroupDrivers),
});

function foldersOf(values: FlagValues, root: string, console: Context) {
  const fallback = imagesRoot(values['root-dir'] === undefined ? defaultRootDir(console) : root);
  const images = values['images-dir'] === undefined ? fallback : resolve(text(values, 'images-dir'));
  const agentRoot = defaultRootDir(console);
  const sharedRoot = isPathWithinBase(root, agentRoot) ? agentRoot : root;
  return { root, sharedRoot, imagesRoot: images, registries: registriesOf(values) };
}

const networkOf = (values: FlagValues) => ({
  hasDefaultNetwork: values['default-network'] === true,
  cniConfigDir: resolve(text(values, 'cni-conf-dir')),
  cniPluginDirs: list(values, 'cni-bin-dir').map((folder) => resolve(folder)),
});

interface ServeOptions {
  socket: string;
  logger: Logger;
  end: Interrupts;
}

async function serveOci(runtimeOptions: NodeRuntimeOptions, options: ServeOptions): Promise<0> {
  const { openNodeRuntime } = await import('../oci/open-node-runtime.js');
  const opened = await openNodeRuntime(runtimeOptions);
  try {
    await serveUntilInterrupt(opened, options);
    options.logger.info('stopping; containers keep running, and the next start adopts them');
    return 0;
  } finally {
    await opened.stop();
  }
}

async function serveProcesses(root: string, options: ServeOptions): Promise<0 | 130> {
  const { createProcessRuntime } = await import('@nodeagent/process-runtime');
  const { logger, end } = options;
  const opened = createProcessRuntime({ root, clock: systemClock, logger });
  try {
    await opened.start();
    await serveUntilInterrupt(opened, options);
    logger.info('stopping containers');
    await Promise.race([opened.stopAll(stopTimeoutMs), aborted(end.second)]);
    return end.second.aborted ? 130 : 0;
  } finally {
    await opened.stopAll(0);
    await opened.stop();
  }
}

async function serveUntilInterrupt(
  opened: Pick<ProcessRuntime, 'runtime' | 'image'>,
  { socket, logger, end }: ServeOptions,
): Promise<void> {
  const server = await serveCri(opened, {
    socket,
    gracePeriodMs: 0,
    logger,
    onCall: ({ method, milliseconds, error }) => logger.debug({ ms: milliseconds, err: error }, method),
  });
  await aborted(end.first);
  await server.close();
}
