import { type Clock, podUid } from '@nodeagent/api';
import type { NodeAgent } from '@nodeagent/core';
import type { AgentAnswer, ErrorAnswer, PodAnswer, PodsAnswer } from './answers.js';

/** What the local API tells of. */
export interface LocalApiSubject {
  agent: Pick<NodeAgent, 'pods' | 'explain' | 'events' | 'pulls' | 'runtimeErrors'>;
  node: string;
  runtime: string;
  podLogsDir: string;
  clock: Pick<Clock, 'now'>;
}

export interface LocalAnswer {
  status: 200 | 400 | 404 | 405;
  body: PodsAnswer | PodAnswer | ErrorAnswer;
}

/** The answer to a request of the local API. */
export function answerRequest(subject: LocalApiSubject, method: string, url: string): LocalAnswer {
  if (method !== 'GET') return refusal(405, 'MethodNotAllowed', `${method}: only GET is served`);
  const parts = pathOf(url);
  if (parts === undefined) return refusal(400, 'BadRequest', 'the path is not a well-formed URL path');
  const [version, resource, namespace, name, ...rest] = parts;
  if (version !== 'v1' || resource !== 'pods' || rest.length > 0 || (namespace !== undefined && !name)) {
    return refusal(404, 'NotFound', `no such resource: ${url}`);
  }
  if (namespace === undefined) return { status: 200, body: { ...facts(subject), pods: subject.agent.pods() } };
  // Of two with that name the first is the one that is wanted; the other one still ends.
  const view = subject.agent.pods().find(({ pod: { metadata } }) => metadata?.namespace === namespace && metadata.name === name);
  if (view === undefined) return refusal(404, 'NotFound', `pods "${namespace}/${name}" not found`);
  const uid = podUid(view.pod);
  const worker = subject.agent.explain(uid);
  return { status: 200, body: { ...facts(subject), ...view, ...(worker && { worker }), events: subject.agent.events(uid) } };
}

function facts({ agent, node, runtime, podLogsDir, clock }: LocalApiSubject): AgentAnswer {
  return { now: clock.now(), node, runtime, runtimeErrors: agent.runtimeErrors(), podLogsDir, pulls: agent.pulls() };
}

function refusal(status: 400 | 404 | 405, code: string, message: string): LocalAnswer {
  return { status, body: { error: { code, message } } };
}

function pathOf(url: string): string[] | undefined {
  try {
    return url.replace(/\?.*$/s, '').split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
