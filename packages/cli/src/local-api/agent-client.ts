import { request } from 'node:http';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { agentSocket, reachAgentSocket } from './agent-socket.js';
import type { ErrorAnswer, ExecAnswer, PodAnswer, PodsAnswer, UsageAnswer } from './answers.js';

/** Time without an answer after which a request fails, in milliseconds. */
const timeoutMs = 10_000;

/** Gets the pods of the agent with this root directory. Rejects with `AGENT_NOT_RUNNING`, `AGENT_UNREACHABLE` or the agent's error. */
export const fetchPods = (rootDir: string): Promise<PodsAnswer> => ask(rootDir, '/v1/pods');

/** Gets one pod. */
export const fetchPod = (rootDir: string, namespace: string, name: string): Promise<PodAnswer> =>
  ask(rootDir, `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

/** Gets the URL at which a command in a container of the pod waits for its client. */
export function requestExec(rootDir: string, namespace: string, name: string, query: URLSearchParams): Promise<ExecAnswer> {
  return ask(rootDir, `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/exec?${query}`, 'POST');
}

/** Gets the resource usage of the node and its pods, and the eviction ranking. */
export const fetchUsage = (rootDir: string): Promise<UsageAnswer> => ask(rootDir, '/v1/usage');

async function ask<T>(rootDir: string, path: string, method = 'GET'): Promise<T> {
  let text: string;
  try {
    const socket = await reachAgentSocket(rootDir);
    text = await send(socket.path, method, path).finally(socket.release);
  } catch (error) {
    throw unreachable(rootDir, error);
  }
  const answer = parseAnswer(rootDir, text);
  if ('error' in answer) throw new NodeAgentError(answer.error.code, answer.error.message);
  return answer as T;
}

function send(socketPath: string, method: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, agent: false, timeout: timeoutMs }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts).toString()));
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

function parseAnswer(rootDir: string, text: string): object | ErrorAnswer {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeAgentError('AGENT_UNREACHABLE', `invalid answer on ${agentSocket(rootDir)}`, { cause });
  }
}
