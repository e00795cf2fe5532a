import { once } from 'node:events';
import { type Clock, errorMessage, type Logger } from '@nodeagent/api';
import { createLogReader, type LogChunk, type LogReader } from '@nodeagent/container-logs';
import { nodeLogSource } from '@nodeagent/container-logs/node';
import {
  acceptRemoteCommand,
  type CommandEnd,
  formatCommandEnd,
  type RemoteCommand,
  type RemoteCommandStreams,
  type UpgradeRequest,
} from '@nodeagent/streaming';
import type { MonitorControl } from '../conmon/control.js';
import { type ContainerInput, openContainerInput } from './container-input.js';

/** A running container to attach to. */
export interface AttachTarget {
  /** The container's folder. */
  bundle: string;
  /** The log that conmon writes. */
  logPath: string;
  hasTerminal: boolean;
  /** Resolves when the container has exited, and its log has all of its output. */
  exited: Promise<void>;
}

export interface AttachPorts {
  clock: Clock;
  logger: Logger;
  control: MonitorControl;
  /** Path of socat; undefined if the container has no standard input. */
  socat: string | undefined;
}

/** Minimum time between two reads of a growing log. */
const readIntervalMs = 5;
/** A log has no file between the steps of a rotation: how often, and at which interval, it is opened. */
const maxAttempts = 50;
const attemptIntervalMs = 50;

/**
 * Attaches a client to the first process of a container, until one of the two ends. The output is that of the container's log from now on: conmon
 * writes all of it there at once, and a client that reads slowly neither blocks the container nor takes memory.
 */
export async function serveAttach(
  client: UpgradeRequest,
  target: AttachTarget,
  requested: RemoteCommandStreams,
  ports: AttachPorts,
): Promise<void> {
  const { bundle, hasTerminal } = target;
  const { clock, logger, control, socat } = ports;
  const streams = await acceptRemoteCommand(client, requested, clock);
  const { signal } = streams;
  let input: ContainerInput | undefined;
  // The response of the container to the first size and the first input is not missed.
  const onFollowing = () => {
    if (hasTerminal) {
      const onError = (err: unknown) => logger.debug({ path: bundle, err }, 'cannot resize the terminal of a container');
      streams.onResize((size) => void control.resizeTerminal(bundle, size).catch(onError));
    }
    if (socat !== undefined && streams.stdin) {
      input = openContainerInput(bundle, { socat, clock });
      streams.stdin.pipe(input.stream);
    } else streams.stdin?.resume();
  };
  const reader = createLogReader({ clock, logger, source: nodeLogSource, followIntervalMs: readIntervalMs });
  const output = followFromEnd(target, signal, { reader, clock, onFollowing });
  const end = await copy(output, streams).then(
    (): CommandEnd => ({ exitCode: 0 }),
    (error): CommandEnd => ({ error: `failed to attach to the container: ${errorMessage(error)}` }),
  );
  await input?.close();
  await streams.finish(formatCommandEnd(end));
}

interface FollowPorts {
  reader: LogReader;
  clock: Clock;
  /** Called when the end of the log is found: later output is read. */
  onFollowing(): void;
}

/** The output from now on. */
async function* followFromEnd({ logPath, exited }: AttachTarget, signal: AbortSignal, ports: FollowPorts): AsyncGenerator<LogChunk> {
  const { reader, clock, onFollowing } = ports;
  for (let attempt = 1; ; attempt++) {
    let isFollowing = false;
    const ended = () => {
      isFollowing = true;
      onFollowing();
      return exited;
    };
    try {
      yield* reader.read(logPath, { follow: true, tailLines: 0, ended, signal });
      return;
    } catch (error) {
      if (isFollowing || signal.aborted || attempt === maxAttempts) throw error;
      await clock.sleep(attemptIntervalMs, signal);
    }
  }
}

/** Reads only as fast as the client does. */
async function copy(output: AsyncIterable<LogChunk>, { stdout, stderr, signal }: RemoteCommand): Promise<void> {
  for await (const { stream, data } of output) {
    const to = stream === 'stdout' ? stdout : stderr;
    if (to && !to.destroyed && !to.write(data)) await once(to, 'drain', { signal });
  }
}
