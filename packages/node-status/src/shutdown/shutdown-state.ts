import { createCheckpointFile, formatTime, parseTime } from '@nodeagent/api';

/** When the last graceful shutdown began and ended, in milliseconds since 1970; no end: it is going on, or was cut short. */
export interface ShutdownState {
  startTime: number;
  endTime?: number;
}

/** Remembers the last graceful shutdown over restarts. */
export interface ShutdownStateStore {
  /** Undefined if there was none. */
  load(): Promise<ShutdownState | undefined>;
  save(state: ShutdownState): Promise<void>;
}

/** A time that never was, as the kubelet's file has it. */
const noTime = '0001-01-01T00:00:00Z';

/** The state in a checkpoint file, as a kubelet has it: `graceful_node_shutdown_state` in its root folder. */
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
