import type { Clock, Logger } from '@nodeagent/api';
import { connectLocally } from '@nodeagent/process-runtime/cri';
import { acceptPortForward, type RemoteCommandStreams, type UpgradeRequest } from '@nodeagent/streaming';
import type { MonitorControl } from '../conmon/control.js';
import { failedPrecondition } from '../errors.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { connectInNamespace } from './connect-in-namespace.js';
import { serveAttach } from './serve-attach.js';

/** Serves one client of a stream. */
type ServeClient = (client: UpgradeRequest) => Promise<void>;

/** The streams of CRI's Attach and PortForward. */
export interface Streams {
  /** Rejects with `UnsupportedPlatform` if the container has standard input and socat is missing. */
  attach(record: ContainerRecord, requested: RemoteCommandStreams): Promise<ServeClient>;
  /** Rejects with `UnsupportedPlatform` if the pod has a network namespace and socat is missing. */
  portForward(record: SandboxRecord): Promise<ServeClient>;
}

export interface StreamsPorts {
  clock: Clock;
  logger: Logger;
  control: MonitorControl;
  /** The path of a program. Rejects with the package that has it. */
  findProgram(program: string): Promise<string>;
  /** Folder of a container, and the log that conmon writes. */
  filesOf(record: ContainerRecord): { bundle: string; logPath: string };
  exited(containerId: string): Promise<void>;
  /** Path of the network namespace of a sandbox; undefined if there is none. */
  networkNamespace(sandboxId: string): Promise<string | undefined>;
}

export function createStreams(ports: StreamsPorts): Streams {
  const { clock, logger, control, findProgram, networkNamespace } = ports;
  return {
    async attach(record, requested) {
      const { stdin, tty = false } = record.config;
      const socat = stdin && requested.stdin ? await findProgram('socat') : undefined;
      const target = { ...ports.filesOf(record), hasTerminal: tty, exited: ports.exited(record.id) };
      return (client) => serveAttach(client, target, requested, { clock, logger, control, socat });
    },
    async portForward({ id, config }) {
      const connect = await connectorOf(id, config.linux?.securityContext?.namespaceOptions?.network === 'NODE');
      return async (client) => acceptPortForward(client, { clock, connect });
    },
  };

  async function connectorOf(sandboxId: string, isOnNode: boolean) {
    if (isOnNode) return connectLocally;
    const namespace = await networkNamespace(sandboxId);
    if (namespace === undefined) throw failedPrecondition(`sandbox "${sandboxId}" has no network namespace`);
    const socat = await findProgram('socat');
    return (port: number) => connectInNamespace({ sandboxId, namespace, port }, socat);
  }
}
