import { createCheckpointFile } from '@nodeagent/api/files';
import { formatTime, parseTime } from '@nodeagent/api/helpers';
import type { ShutdownState, ShutdownStateStore } from './shutdown-state.js';

/** The zero time, as the kubelet writes it. */
const noTime = '0001-01-01T00:00:00Z';

/** Stores the state in a file in the kubelet's format: `graceful_node_shutdown_state` in the root directory. */
export function createFileShutdownState(path: string): ShutdownStateStore {
  return createCheckpointFile({ path, encode: encodeState, decode: decodeState });
}

function encodeState({ startTime, endTime }: ShutdownState): string {
  return JSON.stringify({ startTime: formatTime(startTime), endTime: endTime === undefined ? noTime : formatTime(endTime) });
}

function decodeState(text: string): ShutdownState | undefined {
  const { startTime, endTime } = JSON.parse(text) as { startTime?: string; endTime?: string };
  const [start, end] = [startTime, endTime].map((time) => (time === undefined || time === noTime ? undefined : parseTime(time)));
  return start === undefined ? undefined : { startTime: start, ...(end !== undefined && { endTime: end }) };
}
