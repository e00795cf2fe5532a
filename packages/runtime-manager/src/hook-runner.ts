import {
  type Clock,
  type Container,
  type EventRecorder,
  errorCode,
  errorMessage,
  formatPod,
  type HTTPGetAction,
  NodeAgentError,
  podReference,
  quoteText,
} from '@nodeagent/api';
import { errorCodes } from './errors.js';
import type { HookRequest, HookRunner } from './hooks.js';
import { type HttpGet, httpsToHttpServer, nodeHttpGet } from './http-get.js';
import type { CriRuntime } from './options.js';

export interface HookRunnerOptions {
  cri: Pick<CriRuntime, 'execSync'>;
  clock: Clock;
  recorder: EventRecorder;
  /** Default: over `node:http` and `node:https`. */
  httpGet?: HttpGet;
}

/**
 * Runs hooks as the kubelet does: a command in the container without a time limit of its own, an HTTP request that passes with any
 * answer, or a pause. Kubernetes documentation, "Container Lifecycle Hooks: hook handler implementations".
 */
export function createHookRunner({ cri, clock, recorder, httpGet = nodeHttpGet }: HookRunnerOptions): HookRunner {
  return {
    async run(request, signal) {
      const { exec, httpGet: get, sleep } = request.handler;
      if (exec) return runExec(cri, request, exec.command ?? []);
      if (get) return runHttpGet(httpGet, recorder, request, get, signal);
      if (sleep) return runSleep(clock, request, sleep.seconds, signal);
      throw hookError('invalid lifecycle hook: it has none of exec, httpGet and sleep', undefined);
    },
  };
}

async function runExec(cri: HookRunnerOptions['cri'], request: HookRequest, cmd: string[]): Promise<void> {
  const fail = (problem: string, output: string, cause?: unknown) =>
    hookError(`${title('Exec', `[${cmd.join(' ')}]`, request)} ${problem}, message: ${quoteText(output)}`, cause);
  const decoder = new TextDecoder();
  let answer: Awaited<ReturnType<CriRuntime['execSync']>>;
  try {
    answer = await cri.execSync({ containerId: request.containerId, cmd, timeout: 0n }, { timeoutMs: 0 });
  } catch (cause) {
    throw fail(errorMessage(cause), '', cause);
  }
  if (answer.exitCode === 0) return;
  const [stdout, stderr] = [decoder.decode(answer.stdout), decoder.decode(answer.stderr)];
  throw fail(`command '${cmd.join(' ')}' exited with ${answer.exitCode}: ${stderr}`, stdout + stderr);
}

async function runHttpGet(
  httpGet: HttpGet,
  recorder: EventRecorder,
  request: HookRequest,
  action: HTTPGetAction,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const host = action.host || (await hostOf(request));
    const url = hookUrl(action, host, resolvePort(action.port, request.container));
    const headers = requestHeaders(action);
    try {
      await httpGet(url, headers, signal);
    } catch (error) {
      if (errorCode(error) !== httpsToHttpServer) throw error;
      // The credentials were meant for an encrypted connection.
      const withoutCredentials = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
      await httpGet(new URL(url.href.replace(/^https:/, 'http:')), withoutCredentials, signal);
      const text = `request to HTTPS lifecycle hook ${url.host} got HTTP response, retry with HTTP succeeded`;
      recorder.event(podReference(request.pod), 'Warning', 'LifecycleHTTPFallback', text);
    }
  } catch (cause) {
    throw hookError(`${title('HTTP', action.path ?? '', request)} ${errorMessage(cause)}`, cause);
  }
}

async function hostOf({ podIp }: HookRequest): Promise<string> {
  let ip: string | undefined;
  try {
    ip = await podIp();
  } catch (error) {
    throw new Error(`unable to get pod, event handlers may be invalid: ${errorMessage(error)}`, { cause: error });
  }
  if (!ip) throw new Error('failed to find networking container: the pod has no IP address');
  return ip;
}

function hookUrl({ scheme = 'HTTP', path = '' }: HTTPGetAction, host: string, port: number): URL {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new URL(`${scheme.toLowerCase() || 'http'}://${authority}/${path.replace(/^\//, '')}`);
}

function requestHeaders({ httpHeaders = [] }: HTTPGetAction): Record<string, string> {
  const headers: Record<string, string> = { 'User-Agent': 'kube-lifecycle/1.36', Accept: '*/*' };
  for (const { name, value } of httpHeaders) {
    const present = Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
    headers[present ?? name] = value;
  }
  return headers;
}

function resolvePort(port: HTTPGetAction['port'], { ports = [] }: Container): number {
  const named = ports.find(({ name }) => name === port)?.containerPort;
  const number = typeof port === 'number' ? port : (named ?? Number(port));
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number;
  throw new Error(`invalid port number: ${port}`);
}

async function runSleep(clock: Clock, request: HookRequest, seconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(seconds * 1000, signal);
  } catch (cause) {
    throw hookError(`${title('Sleep', String(seconds), request)} container terminated before sleep hook finished`, cause);
  }
}

function title(kind: string, what: string, { pod, container }: HookRequest): string {
  return `${kind} lifecycle hook (${what}) for Container "${container.name}" in Pod "${formatPod(pod)}" failed - error:`;
}

function hookError(message: string, cause: unknown): NodeAgentError {
  return new NodeAgentError(errorCodes.hook, message, { cause });
}
