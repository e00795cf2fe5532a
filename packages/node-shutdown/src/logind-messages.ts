import { isObject } from '@nodeagent/api';

/** A time span as busctl prints it, `t 5000000`, in seconds; 0 for anything else. */
export function parseSeconds(text: string): number {
  const [, microseconds = '0'] = /^t (\d+)\s*$/.exec(text) ?? [];
  return Number(microseconds) / 1e6;
}

/** `b true` as busctl prints it. */
export function parseBoolean(text: string): boolean {
  return text.trim() === 'b true';
}

/** What a line of `busctl monitor --json=short` says of the machine: it goes down, it stays, or undefined: nothing. */
export function preparesForShutdown(line: string): boolean | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(message) || message.type !== 'signal' || message.member !== 'PrepareForShutdown' || !isObject(message.payload)) {
    return undefined;
  }
  const { data } = message.payload;
  return Array.isArray(data) && typeof data[0] === 'boolean' ? data[0] : undefined;
}
