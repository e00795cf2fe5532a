import { isObject } from '@nodeagent/api/helpers';

/** Seconds of a time span as busctl prints it, `t 5000000`; 0 for other text. */
export function parseSeconds(text: string): number {
  const [, microseconds = '0'] = /^t (\d+)\s*$/.exec(text) ?? [];
  return Number(microseconds) / 1e6;
}

/** Whether busctl printed `b true`. */
export function parseBoolean(text: string): boolean {
  return text.trim() === 'b true';
}

/** Whether a line of `busctl monitor --json=short` announces a shutdown (true) or its cancellation (false); else undefined. */
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
