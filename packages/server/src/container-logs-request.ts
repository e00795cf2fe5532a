import type { Pod } from '@nodeagent/api';
import { findContainer, formatTime, parseTime, quoteText } from '@nodeagent/api/helpers';

/** Which logs are wanted: PodLogOptions of the Kubernetes API (v1). */
export interface PodLogOptions {
  container?: string;
  follow?: boolean;
  previous?: boolean;
  sinceSeconds?: number;
  /** RFC 3339. */
  sinceTime?: string;
  timestamps?: boolean;
  tailLines?: number;
  limitBytes?: number;
  insecureSkipTLSVerifyBackend?: boolean;
  stream?: string;
}

/** A request of `/containerLogs/NAMESPACE/POD/CONTAINER`. */
export interface ContainerLogsRequest {
  podName: string;
  containerName: string;
  query: URLSearchParams;
  /** The pod with that name; undefined if there is none. */
  pod: Pod | undefined;
}

/** The requested logs. */
export interface WantedContainerLogs {
  options: PodLogOptions;
  stdout: boolean;
  stderr: boolean;
}

/** The error response. */
export interface ContainerLogsRefusal {
  status: 400 | 404 | 422;
  body: string;
}

export interface ContainerLogsGates {
  /** Whether a client may request a single stream. Off in v1.36. */
  PodLogsQuerySplitStreams?: boolean;
}

/** Reads and checks a request for logs; refusals have the kubelet's status codes and texts. The rules are those of PodLogOptions. */
export function parseContainerLogsRequest(
  { podName, containerName, query, pod }: ContainerLogsRequest,
  { PodLogsQuerySplitStreams: canSplit = false }: ContainerLogsGates = {},
): WantedContainerLogs | ContainerLogsRefusal {
  const decoded = decodeOptions(query);
  if (decoded === undefined) return { status: 400, body: '{"message": "Unable to decode query."}' };
  if (!isValid(decoded)) return { status: 422, body: '{"message": "Invalid request."}' };
  if (pod === undefined) return { status: 404, body: `pod ${quoteText(podName)} does not exist` };
  if (findContainer(pod, containerName) === undefined) {
    return { status: 404, body: `container ${quoteText(containerName)} not found in pod ${quoteText(podName)}` };
  }
  const { sinceTime, ...rest } = decoded;
  const { stream = 'All' } = rest;
  if (stream !== 'All' && !canSplit) {
    const demand = 'Please enable PodLogsQuerySplitStreams feature gate in kubelet';
    return { status: 400, body: `unable to return the given log stream: ${quoteText(stream)}. ${demand}` };
  }
  return { options: { ...rest, ...(sinceTime && { sinceTime }) }, stdout: stream !== 'Stderr', stderr: stream !== 'Stdout' };
}

/** The options of a query; an empty `sinceTime` counts as present without a value. Undefined if a value is invalid. */
function decodeOptions(query: URLSearchParams): PodLogOptions | undefined {
  const options: PodLogOptions = {};
  for (const name of ['follow', 'previous', 'timestamps', 'insecureSkipTLSVerifyBackend'] as const) {
    const value = query.get(name);
    if (value !== null && value !== '0' && value.toLowerCase() !== 'false') options[name] = true;
  }
  for (const name of ['container', 'stream'] as const) {
    const value = query.get(name);
    if (value !== null) options[name] = value;
  }
  for (const name of ['sinceSeconds', 'tailLines', 'limitBytes'] as const) {
    const value = name === 'tailLines' ? tailLines(query) : query.get(name);
    if (value === null) continue;
    if (!isInt64(value)) return undefined;
    options[name] = Number(value);
  }
  const sinceTime = query.get('sinceTime');
  if (sinceTime === null) return options;
  const time = sinceTime === '' || sinceTime === 'null' ? '' : canonicalTime(sinceTime);
  return time === undefined ? undefined : { ...options, sinceTime: time };
}

/** `tail` is an older name with precedence; `all` means no limit. */
function tailLines(query: URLSearchParams): string | null {
  const tail = query.get('tail');
  if (!tail) return query.get('tailLines');
  return tail === 'all' ? null : tail;
}

function isInt64(text: string): boolean {
  return /^[+-]?[0-9]+$/.test(text) && BigInt.asIntN(64, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', ''));
}

/** In UTC and whole seconds; undefined for an invalid time. */
function canonicalTime(text: string): string | undefined {
  const [, date = ''] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const ms = parseTime(text);
  const isDay = new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDate() === Number(date.slice(8));
  return ms !== undefined && isDay ? formatTime(Math.floor(ms / 1000) * 1000) : undefined;
}

const streams = ['All', 'Stdout', 'Stderr'];

function isValid({ tailLines, limitBytes, sinceSeconds, sinceTime, stream }: PodLogOptions): boolean {
  if (tailLines !== undefined && tailLines < 0) return false;
  if (limitBytes !== undefined && limitBytes < 1) return false;
  if (sinceSeconds !== undefined && (sinceSeconds < 1 || sinceTime !== undefined)) return false;
  if (stream === undefined) return true;
  return streams.includes(stream) && (stream === 'All' || tailLines === undefined);
}
