import type { PodStatus } from '@nodeagent/api';
import { allContainerStatuses } from '@nodeagent/api/helpers';
import type { PodView } from '@nodeagent/core/node';
import type { OutputStream } from '../../console.js';
import { createLineOutput } from '../../terminal/screen/line-output.js';
import { writeAll } from '../../terminal/write-all.js';

/** A piece of a container's log. */
export interface LogPiece {
  stream: 'stdout' | 'stderr';
  data: Uint8Array;
}

/** One instance of a container: its log file is named by the number of restarts before it. */
export interface ContainerInstance {
  container: string;
  attempt: number;
}

/** Reads the log of an instance from its beginning until `ended` resolves and all is read. */
export type ReadInstance = (view: PodView, instance: ContainerInstance, ended: Promise<void>) => AsyncIterable<LogPiece>;

/** The instances that have started. Those before the current one may have had no status. */
export function startedInstances(status: PodStatus): ContainerInstance[] {
  return allContainerStatuses(status).flatMap(({ name, restartCount = 0, state, containerID }) => {
    const hasCurrent = Boolean(containerID) && (state?.running ?? state?.terminated) !== undefined;
    const count = hasCurrent ? restartCount + 1 : restartCount;
    return Array.from({ length: count }, (_, attempt) => ({ container: name, attempt }));
  });
}

/** Whether the instance has ended: it does not run, or a later one has started. */
export function hasEnded(status: PodStatus, { container, attempt }: ContainerInstance): boolean {
  const found = allContainerStatuses(status).find(({ name }) => name === container);
  return found === undefined || (found.restartCount ?? 0) > attempt || found.state?.running === undefined;
}

/** Copies a log to the streams that the container wrote to. With a prefix, whole lines: `[main] text`. */
export async function copyLog(
  pieces: AsyncIterable<LogPiece>,
  prefix: string,
  to: Record<LogPiece['stream'], OutputStream>,
): Promise<void> {
  const lines = {
    stdout: createLineOutput((each) => to.stdout.write(each.map((line) => `${prefix}${line}\n`).join(''))),
    stderr: createLineOutput((each) => to.stderr.write(each.map((line) => `${prefix}${line}\n`).join(''))),
  };
  for await (const { stream, data } of pieces) {
    if (prefix === '') await writeAll(one(data), to[stream]);
    else lines[stream].write(data);
  }
  lines.stdout.flush();
  lines.stderr.flush();
}

async function* one(data: Uint8Array): AsyncIterable<Uint8Array> {
  yield data;
}
