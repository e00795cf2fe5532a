import type { ContainerStatus } from '@nodeagent/cri-api';
import { annotations } from '../config/labels.js';
import type { PodFiles } from '../files.js';

/** Maximum bytes read from the container's termination log. */
const maxMessageBytes = 4096;
/** Maximum bytes taken from the container's log instead. */
const maxLogMessageBytes = 2048;
const maxLogMessageLines = 80;
/** How much of the log's end is read: enough for the limits above, because runtimes split lines at 16 KiB. */
const logTailBytes = 64 * 1024;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * The termination message of an exited container: from its termination log or, with the policy FallbackToLogsOnError, from the end of
 * its log. Empty if both are empty. Kubernetes documentation, "Determine the Reason for Pod Failure".
 */
export async function terminationMessage(status: ContainerStatus, files: PodFiles): Promise<string> {
  const fromFile = await messageFile(status, files);
  const fallsBack = status.annotations[annotations.terminationMessagePolicy] === 'FallbackToLogsOnError';
  if (fromFile !== '' || !fallsBack || status.exitCode === 0 || status.reason === 'ContainerCannotRun') return fromFile;
  const tail = await files.readTail(status.logPath, logTailBytes);
  return tail === undefined ? '' : logMessage(decoder.decode(tail), tail.length === logTailBytes);
}

async function messageFile(status: ContainerStatus, files: PodFiles): Promise<string> {
  const path = status.annotations[annotations.terminationMessagePath];
  if (path === undefined || path === '') return '';
  const hostPath = status.mounts?.find(({ containerPath }) => containerPath === path)?.hostPath;
  if (hostPath === undefined) return '';
  const content = await files.readTail(hostPath, maxMessageBytes);
  return content === undefined ? '' : decoder.decode(content);
}

/**
 * The text of the last lines of a log in the CRI format, `<time> <stream> <tags> <text>`. `cut`: the log may start in the middle of a
 * line, which is then skipped.
 */
export function logMessage(log: string, cut = false): string {
  const lines = log.split('\n');
  if (cut) lines.shift();
  if (lines.at(-1) === '') lines.pop();
  let message = '';
  for (const line of lines.slice(-maxLogMessageLines)) {
    const [, tags, text] = /^\S+ (?:stdout|stderr) (\S+) ?(.*)$/s.exec(line) ?? [];
    if (tags === undefined || text === undefined) continue;
    message += tags.split(':')[0] === 'P' ? text : `${text}\n`;
  }
  const bytes = encoder.encode(message);
  return bytes.length <= maxLogMessageBytes ? message : decoder.decode(bytes.subarray(bytes.length - maxLogMessageBytes));
}
