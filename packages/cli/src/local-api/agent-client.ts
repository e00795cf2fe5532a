import { request } from 'node:http';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { agentSocket, reachAgentSocket } from './agent-socket.js';
import type { ErrorAnswer, ExecAnswer, PodAnswer, PodsAnswer, UsageAnswer } from './answers.js';

/** How long the agent may say nothing, in milliseconds. */
const patienceMs = 10_000;

/** Asks the agent that uses this folder for its pods. Rejects with `AGENT_NOT_RUNNING`, `AGENT_UNREACHABLE` or the agent's refusal. */
export const askForPods = (rootDir: string): Promise<PodsAnswer> => ask(rootDir, '/v1/pods');

/** The same for one pod. */
export const askForPod = (rootDir: string, namespace: string, name: string): Promise<PodAnswer> =>
  ask(rootDir, `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

/** Asks where a command in a container of the pod waits for its client. */
export function askForExec(rootDir: string, namespace: string, name: string, query: URLSearchParams): Promise<ExecAnswer> {
  return ask(rootDir, `/v1/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/exec?${query}`, 'POST');
}

/** Asks what the node and its pods use, and who would be evicted next. */
export const askForUsage = (rootDir: string): Promise<UsageAnswer> => ask(rootDir, '/v1/usage');

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
    const call = request({ socketPath, method, path, agent: false, timeout: patienceMs }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts).toString()));
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${patienceMs / 1000} s`)));
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
      hint: `start one with "nodeagent run --root-dir ${rootDir}", or name the folder of one that runs with --root-dir`,
    });
  }
  const hint = code === 'EACCES' || code === 'EPERM' ? { hint: 'only the user who runs the agent may ask it' } : {};
  return new NodeAgentError('AGENT_UNREACHABLE', `cannot ask the agent on ${socket}: ${errorMessage(cause)}`, { cause, ...hint });
}

function parseAnswer(rootDir: string, text: string): object | ErrorAnswer {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeAgentError('AGENT_UNREACHABLE', `cannot read what was answered on ${agentSocket(rootDir)}`, { cause });
  }
}
