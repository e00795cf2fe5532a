import {
  type Clock,
  type Container,
  type EventRecorder,
  errorCode,
  errorMessage,
  type HTTPGetAction,
  NodeAgentError,
  noEvents,
  systemClock,
} from '@nodeagent/api';
import { formatPod, podReference, quoteText } from '@nodeagent/api/helpers';
import type { CriRuntime } from '../cri/methods.js';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { HookRequest, HookRunner } from './hooks.js';
import { type HookHttpGet, httpsToHttpServer } from './http-get.js';

/** Runs a command in a container; resolves with its output and, if it failed, the error. */
export type RunHookCommand = (containerId: string, command: string[]) => Promise<{ output: string; error?: unknown }>;

export interface HookRunnerOptions {
  /** {@link runOverCri} for a CRI runtime. */
  runInContainer: RunHookCommand;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: none. */
  recorder?: EventRecorder;
  /** Default: HTTP hooks fail. */
  httpGet?: HookHttpGet | undefined;
}

/**
 * Runs hooks as the kubelet does: a command in the container without a timeout, an HTTP request that succeeds with any status, or a
 * sleep. Kubernetes documentation, "Container Lifecycle Hooks: hook handler implementations".
 */
export function createHookRunner(options: HookRunnerOptions): HookRunner {
  const { runInContainer, clock = systemClock, recorder = noEvents, httpGet = noHttpGet } = options;
  return {
    async run(request, signal) {
      const { exec, httpGet: http, sleep } = request.handler;
      if (exec) return runExec(runInContainer, request, exec.command ?? []);
      if (http) return runHttpGet(httpGet, recorder, request, http, signal);
      if (sleep) return runSleep(clock, request, sleep.seconds, signal);
      throw hookError('invalid lifecycle hook: it has none of exec, httpGet and sleep', undefined);
    },
  };
}

/** {@link RunHookCommand} over CRI's ExecSync, without a timeout. */
export function runOverCri(cri: Pick<CriRuntime, 'execSync'>): RunHookCommand {
  return async (containerId, cmd) => {
    try {
      const { exitCode, stdout, stderr } = await cri.execSync({ containerId, cmd, timeout: 0n }, { timeoutMs: 0 });
      const decoder = new TextDecoder();
      const [out, err] = [decoder.decode(stdout), decoder.decode(stderr)];
      if (exitCode === 0) return { output: out + err };
      return { output: out + err, error: new Error(`command '${cmd.join(' ')}' exited with ${exitCode}: ${err}`) };
    } catch (error) {
      return { output: '', error };
    }
  };
}

const noHttpGet: HookHttpGet = async () => {
  throw new Error('no network for HTTP hooks: pass `hookHttpGet`, such as nodeHttpGet of @nodeagent/runtime-manager/node');
};

async function runExec(runInContainer: RunHookCommand, request: HookRequest, command: string[]): Promise<void> {
  const { output, error } = await runInContainer(request.containerId, command);
  if (error === undefined) return;
  const what = title('Exec', `[${command.join(' ')}]`, request);
  throw hookError(`${what} ${errorMessage(error)}, message: ${quoteText(output)}`, error);
}

async function runHttpGet(
  httpGet: HookHttpGet,
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
      await get(httpGet, url, headers, signal);
    } catch (error) {
      if (errorCode(error) !== httpsToHttpServer) throw error;
      // The credentials are for an encrypted connection only.
      const withoutCredentials = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
      await get(httpGet, url.replace(/^https:/, 'http:'), withoutCredentials, signal).catch(() => {
        throw error;
      });
      const authority = url.split('/')[2];
      const text = `request to HTTPS lifecycle hook ${authority} got HTTP response, retry with HTTP succeeded`;
      recorder.event(podReference(request.pod), 'Warning', 'LifecycleHTTPFallback', text);
    }
  } catch (cause) {
    throw hookError(`${title('HTTP', action.path ?? '', request)} ${errorMessage(cause)}`, cause);
  }
}

async function get(httpGet: HookHttpGet, url: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<void> {
  try {
    await httpGet(new URL(url), headers, signal);
  } catch (cause) {
    const text = `Get "${url}": ${errorMessage(cause)}`;
    throw new NodeAgentError(errorCode(cause) === httpsToHttpServer ? httpsToHttpServer : runtimeManagerErrorCodes.hook, text, { cause });
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

function hookUrl({ scheme = 'HTTP', path = '' }: HTTPGetAction, host: string, port: number): string {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return `${scheme.toLowerCase() || 'http'}://${authority}/${path.replace(/^\//, '')}`;
}

function requestHeaders({ httpHeaders = [] }: HTTPGetAction): Record<string, string> {
  const headers: Record<string, string> = { 'User-Agent': 'kube-lifecycle/1.36', Accept: '*/*' };
  for (const { name, value } of httpHeaders) {
    const present = Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
    headers[present ?? name] = value;
  }
  return headers;
}

/** A number, or the name of a port of the container, or a number as text. */
function resolvePort(port: HTTPGetAction['port'], { ports = [] }: Container): number {
  const named = ports.find(({ name }) => name === port)?.containerPort;
  if (typeof port === 'string' && named === undefined && !/^[+-]?\d+$/.test(port)) {
    throw new Error(`strconv.Atoi: parsing ${quoteText(port)}: invalid syntax`);
  }
  const number = typeof port === 'number' ? port : (named ?? Number(port));
  if (number >= 1 && number <= 65_535) return number;
  throw new Error(`invalid port number: ${number}`);
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
  return new NodeAgentError(runtimeManagerErrorCodes.hook, message, { cause });
}
