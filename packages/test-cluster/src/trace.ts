import { type Clock, errorCode } from '@nodeagent/api';
import type { RecordedCall } from '@nodeagent/memory-runtime';
import type { AnsweredRequest } from '@nodeagent/test-api-server';

/** All calls of the runtimes and the API server, and the test's actions on nodes, as lines to read and compare. */
export interface ClusterTrace {
  /** The last lines, oldest first. */
  readonly lines: readonly string[];
  /** Number of all lines, including dropped ones. */
  readonly count: number;
  /** The matching lines without their times. */
  steps(pattern?: RegExp): string[];
  clear(): void;
}

/** The trace that parts of the cluster write to. */
export interface TraceWriter extends ClusterTrace {
  /** `00:00:12.500 node-1 crash agent` */
  note(who: string, what: string): void;
  request(request: AnsweredRequest): void;
  /** The listener of a node's CRI calls. */
  calls(node: string): (call: RecordedCall) => void;
}

const timeLength = '00:00:00.000 '.length;

/** Keeps the last `limit` lines; 0 disables the trace. */
export function createTrace(clock: Clock, limit: number): TraceWriter {
  const startedAt = clock.monotonic();
  let lines: string[] = [];
  let count = 0;
  const note = (who: string, what: string) => {
    count++;
    if (limit === 0) return;
    lines.push(`${elapsedText(clock.monotonic() - startedAt)} ${who} ${what}`);
    // Drop half of the lines at once, not each line separately.
    if (lines.length >= 2 * limit) lines = lines.slice(-limit);
  };
  return {
    get lines() {
      return lines.slice(-limit || lines.length);
    },
    get count() {
      return count;
    },
    steps: (pattern = /^/) => lines.map((line) => line.slice(timeLength)).filter((line) => pattern.test(line)),
    clear() {
      lines = [];
    },
    note,
    request(request) {
      if (limit > 0) note(request.user.username.replace(/^system:node:/, ''), requestText(request));
    },
    calls(node) {
      if (limit === 0) return () => {};
      const names = new Map<string, string>();
      return (call) => note(node, callText(call, names));
    },
  };
}

/** `api patch pods/status default/web 200` */
function requestText({ info, status }: AnsweredRequest): string {
  const { isResource, verb, path, resource, subresource, namespace, name } = info;
  const what = isResource ? `${resource}${subresource ? `/${subresource}` : ''}` : path;
  const which = [namespace, name].filter((part) => part !== undefined).join('/');
  return ['api', verb, what, which, status ?? 'cut'].filter((part) => part !== '').join(' ');
}

/** `cri startContainer default/web/main`, with the error's code if there is one; `names` maps IDs to names. */
function callText({ method, request, response, error }: RecordedCall, names: Map<string, string>): string {
  const { podSandboxId, containerId, config, image } = (request ?? {}) as CallRequest;
  const { name, namespace } = config?.metadata ?? {};
  const made = (response ?? {}) as { podSandboxId?: string; containerId?: string };
  let subject = names.get(containerId ?? podSandboxId ?? '') ?? '';
  if (method === 'runPodSandbox') {
    subject = `${namespace}/${name}`;
    if (made.podSandboxId) names.set(made.podSandboxId, subject);
  }
  if (method === 'createContainer') {
    subject = `${names.get(podSandboxId ?? '')}/${name}`;
    if (made.containerId) names.set(made.containerId, subject);
  }
  if (error === undefined && method === 'removeContainer') names.delete(containerId ?? '');
  if (error === undefined && method === 'removePodSandbox') names.delete(podSandboxId ?? '');
  if (method === 'pullImage' || method === 'imageStatus' || method === 'removeImage') subject = image?.image ?? '';
  return ['cri', method, subject, error === undefined ? '' : (errorCode(error) ?? String(error))].filter((part) => part !== '').join(' ');
}

/** Fields of requests with IDs or names. */
interface CallRequest {
  podSandboxId?: string;
  containerId?: string;
  config?: { metadata?: { name?: string; namespace?: string } };
  image?: { image?: string };
}

/** A time since a start, in milliseconds, as `00:10:03.500`. */
export function elapsedText(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
