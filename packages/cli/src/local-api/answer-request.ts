import { type Clock, errorCode, errorMessage, type Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { NodeAgent } from '@nodeagent/core/node';
import type { AgentAnswer, ErrorAnswer, ExecAnswer, ListedPod, PodAnswer, PodsAnswer, UsageAnswer } from './answers.js';
import type { RejectedManifest } from './rejected-manifests.js';
import { usageOf } from './usage.js';

/** Data sources of the local API. */
export interface LocalApiSubject {
  agent: Pick<
    NodeAgent,
    | 'pods'
    | 'explain'
    | 'podCgroup'
    | 'podAssignments'
    | 'events'
    | 'pulls'
    | 'runtimeErrors'
    | 'clusterError'
    | 'certificates'
    | 'stats'
    | 'eviction'
    | 'streaming'
  >;
  node: string;
  runtime: string;
  /** The API server's URL. Default: no cluster. */
  cluster?: string;
  podLogsDir: string;
  /** The manifests that were rejected. Default: none. */
  rejected?: () => RejectedManifest[];
  /** The version of the list of pods. */
  podsVersion: () => string;
  clock: Pick<Clock, 'now'>;
}

export interface LocalRequest {
  method: string;
  url: string;
  /** The version that the client has. */
  knownVersion?: string | undefined;
}

export interface LocalAnswer {
  status: 200 | 304 | 400 | 404 | 405 | 503;
  /** Absent with 304: the client has it. */
  body?: PodsAnswer | PodAnswer | UsageAnswer | ExecAnswer | ErrorAnswer;
  version?: string;
}

/** Answers a request of the local API. The signal aborts when the client disconnects. */
export async function answerRequest(subject: LocalApiSubject, request: LocalRequest, signal: AbortSignal): Promise<LocalAnswer> {
  const { method, url, knownVersion } = request;
  const parts = pathOf(url);
  if (parts === undefined) return refusal(400, 'BadRequest', 'the path is not a well-formed URL path');
  const [version, resource, namespace, name, ...rest] = parts;
  const isExec = version === 'v1' && resource === 'pods' && rest.length === 1 && rest[0] === 'exec';
  if (method !== (isExec ? 'POST' : 'GET')) return refusal(405, 'MethodNotAllowed', `${method}: only ${isExec ? 'POST' : 'GET'} is served`);
  if (version === 'v1' && resource === 'usage' && namespace === undefined) return answerUsage(subject, signal);
  if (version !== 'v1' || resource !== 'pods' || (rest.length > 0 && !isExec) || (namespace !== undefined && !name)) {
    return refusal(404, 'NotFound', `no such resource: ${url}`);
  }
  if (namespace === undefined) return answerPods(subject, knownVersion);
  // Of two pods with this name the first one is desired; the other one is terminating.
  const view = subject.agent.pods().find(({ pod: { metadata } }) => metadata?.namespace === namespace && metadata.name === name);
  if (view === undefined) return refusal(404, 'NotFound', `pods "${namespace}/${name}" not found`);
  if (isExec) return answerExec(subject, view.pod, new URLSearchParams(url.replace(/^[^?]*/, '')), signal);
  const uid = podUid(view.pod);
  const worker = subject.agent.explain(uid);
  const cgroup = subject.agent.podCgroup(uid);
  const assignments = subject.agent.podAssignments(uid);
  const known = { ...(worker && { worker }), ...(cgroup && { cgroup }), ...(assignments && { assignments }) };
  return { status: 200, body: { ...facts(subject), ...view, ...known, events: subject.agent.events(uid) } };
}

function answerPods(subject: LocalApiSubject, knownVersion: string | undefined): LocalAnswer {
  const version = subject.podsVersion();
  if (version === knownVersion) return { status: 304, version };
  const rejected = subject.rejected?.() ?? [];
  const body: PodsAnswer = { ...facts(subject), pods: listedPods(subject.agent), ...(rejected.length > 0 && { rejected }) };
  return { status: 200, body, version };
}

/** The pods with the back-offs of their containers and the errors of their last syncs. */
export function listedPods(agent: Pick<NodeAgent, 'pods' | 'explain'>): ListedPod[] {
  return agent.pods().map((view) => {
    const { backOffs = [], lastSync } = agent.explain(podUid(view.pod)) ?? {};
    const syncError = lastSync?.error;
    return { ...view, ...(backOffs.length > 0 && { backOffs }), ...(syncError !== undefined && { syncError }) };
  });
}

async function answerExec({ agent }: LocalApiSubject, pod: Pod, query: URLSearchParams, signal: AbortSignal): Promise<LocalAnswer> {
  const [stdin, stdout, stderr, tty] = ['stdin', 'stdout', 'stderr', 'tty'].map((name) => query.get(name) === '1') as Switches;
  try {
    const streams = { stdin, stdout, stderr, tty };
    const url = await agent.streaming.execUrl(pod, query.get('container') ?? '', query.getAll('command'), streams, signal);
    return { status: 200, body: { url: url.href } };
  } catch (error) {
    return refusal(503, errorCode(error) ?? 'ExecFailed', errorMessage(error));
  }
}

type Switches = [boolean, boolean, boolean, boolean];

async function answerUsage(subject: LocalApiSubject, signal: AbortSignal): Promise<LocalAnswer> {
  const { stats, eviction } = subject.agent;
  if (stats === undefined) return refusal(404, 'NotFound', 'this agent has no stats');
  try {
    const summary = await stats.summary({ fresh: false, signal });
    return { status: 200, body: { ...facts(subject), ...usageOf(summary), ...(eviction && { eviction: eviction.explain() }) } };
  } catch (error) {
    return refusal(503, 'NoFigures', `stats are not available: ${errorMessage(error)}`);
  }
}

function facts({ agent, node, runtime, cluster, podLogsDir, clock }: LocalApiSubject): AgentAnswer {
  const clusterError = agent.clusterError();
  const { client, serving } = agent.certificates();
  return {
    now: clock.now(),
    node,
    runtime,
    runtimeErrors: agent.runtimeErrors(),
    ...(cluster !== undefined && { cluster }),
    ...(clusterError !== undefined && { clusterError }),
    ...((client || serving) && {
      certificates: { ...(client && { client: client.message }), ...(serving && { serving: serving.message }) },
    }),
    podLogsDir,
    pulls: agent.pulls(),
  };
}

function refusal(status: 400 | 404 | 405 | 503, code: string, message: string): LocalAnswer {
  return { status, body: { error: { code, message } } };
}

function pathOf(url: string): string[] | undefined {
  try {
    return url.replace(/\?.*$/s, '').split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
