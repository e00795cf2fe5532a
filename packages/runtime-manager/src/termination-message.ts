import type { ContainerStatus } from '@nodeagent/cri-api';
import type { PodFiles } from './files.js';
import { annotations } from './labels.js';

/** Longest message read from the container's file. */
const maxMessageBytes = 4096;
/** Longest message taken from its log instead. */
const maxLogMessageBytes = 2048;
const maxLogMessageLines = 80;
/** Enough of a log's end for the above: runtimes cut lines at 16 KiB. */
const logTailBytes = 64 * 1024;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * What an exited container says about its end: the file it was given for that or, if its policy asks for it, the end of its log.
 * Empty if there is nothing. Kubernetes documentation, "Determine the Reason for Pod Failure".
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
 * The last lines of a log in CRI's format, `<time> <stream> <tags> <text>`, without what the format adds. `cut`: the text may begin
 * in the middle of a line, which is then left out.
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
