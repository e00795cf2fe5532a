import { request } from 'node:http';
import { type Clock, errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { agentSocket, reachAgentSocket } from './agent-socket.js';
import type { ErrorAnswer, ExecAnswer, PodAnswer, PodsAnswer, UsageAnswer } from './answers.js';

/** Time without an answer after which a request fails, in milliseconds. */
const timeoutMs = 10_000;

/** Gets the pods of the agent with this root directory. Rejects with `AGENT_NOT_RUNNING`, `AGENT_UNREACHABLE` or the agent's error. */
export const fetchPods = (rootDir: string): Promise<PodsAnswer> => ask(rootDir, '/v1/pods');

/**
 * Gets the pods of the agent each time; an agent whose pods have not changed since the last time answers that only. The clock is that of the agent.
 */
export function createPodsReader(rootDir: string, clock: Pick<Clock, 'now'>): () => Promise<PodsAnswer> {
  let last: { answer: PodsAnswer; version: string } | undefined;
  return async () => {
    const { text, version, isUnchanged } = await exchange(rootDir, '/v1/pods', { knownVersion: last?.version });
    if (isUnchanged && last !== undefined) return { ...last.answer, now: clock.now() };
    const answer = parseAnswer<PodsAnswer>(rootDir, text);
    last = version === undefined ? undefined : { answer, version };
    return answer;
  };
}

/** Gets one pod. */
export const fetchPod = (rootDir: string, namespace: string, name: string): Promise<PodAnswer> =>
  ask(rootDir, `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

/** Gets the URL at which a command in a container of the pod waits for its client. */
export function requestExec(rootDir: string, namespace: string, name: string, query: URLSearchParams): Promise<ExecAnswer> {
  return ask(rootDir, `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/exec?${query}`, 'POST');
}

/** Gets the resource usage of the node and its pods, and the eviction ranking. */
export const fetchUsage = (rootDir: string): Promise<UsageAnswer> => ask(rootDir, '/v1/usage');

async function ask<T extends object>(rootDir: string, path: string, method = 'GET'): Promise<T> {
  const { text } = await exchange(rootDir, path, { method });
  return parseAnswer(rootDir, text);
}

interface RequestOptions {
  /** Default `GET`. */
  method?: string;
  knownVersion?: string | undefined;
}

interface Received {
  text: string;
  version: string | undefined;
  /** The answer is that of the known version. */
  isUnchanged: boolean;
}

async function exchange(rootDir: string, path: string, options: RequestOptions): Promise<Received> {
  try {
    const socket = await reachAgentSocket(rootDir);
    return await send(socket.path, path, options).finally(socket.release);
  } catch (error) {
    throw unreachable(rootDir, error);
  }
}

function send(socketPath: string, path: string, { method = 'GET', knownVersion }: RequestOptions): Promise<Received> {
  const headers = knownVersion === undefined ? {} : { 'if-none-match': knownVersion };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, headers, agent: false, timeout: timeoutMs }, (response) => {
      const { statusCode, headers } = response;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ text: Buffer.concat(parts).toString(), version: headers.etag, isUnchanged: statusCode === 304 });
      });
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    call.on('error', reject);
    call.end();
  });
}

function unreachable(rootDir: string, cause: unknown): NodeAgentError {
  const socket = agentSocket(rootDir);
  const code = errorCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED') {
    return new NodeAgentError('AGENT_NOT_RUNNING', `no agent answers on ${socket}`, {
      cause,
      hint: `start one with "nodeagent run --root-dir ${rootDir}", or set --root-dir to that of a running agent`,
    });
  }
  const hint = code === 'EACCES' || code === 'EPERM' ? { hint: "run the command as the agent's user" } : {};
  return new NodeAgentError('AGENT_UNREACHABLE', `cannot query the agent on ${socket}: ${errorMessage(cause)}`, { cause, ...hint });
}

/** Throws the error of the answer, if it is one. */
function parseAnswer<T extends object>(rootDir: string, text: string): T {
  let answer: T | ErrorAnswer;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new NodeAgentError('AGENT_UNREACHABLE', `invalid answer on ${agentSocket(rootDir)}`, { cause });
  }
  if ('error' in answer) throw new NodeAgentError(answer.error.code, answer.error.message);
  return answer;
}
