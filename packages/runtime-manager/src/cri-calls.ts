import { type Clock, errorCode, NodeAgentError } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import { errorCodes } from './errors.js';
import type { CriRuntime } from './options.js';

/** Creating a sandbox pulls its image and sets up its network, hence twice the time of other calls. */
const sandboxTimeoutFactor = 2;

/**
 * The runtime with a deadline for each call, kept here and not left to it: a call that never comes back fails and holds nobody up.
 * `signal` in a call's options ends the waiting too.
 */
export function boundedCri(cri: CriRuntime, clock: Clock, timeoutMs: number): CriRuntime {
  type Call<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;
  const bounded =
    <Request, Response>(
      name: string,
      method: Call<Request, Response>,
      timeoutOf: (request: Request) => number = () => timeoutMs,
    ): Call<Request, Response> =>
    (request, options) =>
      withDeadline(clock, name, timeoutOf(request), options?.signal, (bound) => method.call(cri, request, bound));

  return {
    version: bounded('Version', cri.version),
    status: bounded('Status', cri.status),
    runPodSandbox: bounded('RunPodSandbox', cri.runPodSandbox, () => sandboxTimeoutFactor * timeoutMs),
    stopPodSandbox: bounded('StopPodSandbox', cri.stopPodSandbox),
    removePodSandbox: bounded('RemovePodSandbox', cri.removePodSandbox),
    podSandboxStatus: bounded('PodSandboxStatus', cri.podSandboxStatus),
    listPodSandbox: bounded('ListPodSandbox', cri.listPodSandbox),
    createContainer: bounded('CreateContainer', cri.createContainer),
    startContainer: bounded('StartContainer', cri.startContainer),
    stopContainer: bounded('StopContainer', cri.stopContainer, ({ timeout = 0n }) => timeoutMs + Number(timeout) * 1000),
    removeContainer: bounded('RemoveContainer', cri.removeContainer),
    listContainers: bounded('ListContainers', cri.listContainers),
    containerStatus: bounded('ContainerStatus', cri.containerStatus),
    execSync: (request, options) => cri.execSync(request, options),
  };
}

async function withDeadline<T>(
  clock: Clock,
  name: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  run: (options: CallOptions) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = (reason) => {
      reject(reason);
      controller.abort(reason);
    };
  });
  const onAbort = () => end(signal?.reason);
  const timer = clock.setTimeout(() => end(deadlineExceeded(name, timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([ended, run({ signal: controller.signal, timeoutMs })]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

function deadlineExceeded(name: string, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(errorCodes.deadlineExceeded, `${name}: the runtime did not answer within ${timeoutMs / 1000} s`, {
    retryable: true,
    hint: 'See whether the container runtime is alive and what its log says; settings.runtimeRequestTimeoutMs gives it more time.',
    details: { call: name, timeoutMs },
  });
}

/** The error for an answer that lacks what the CRI promises. */
export function invalidAnswer(call: string, lacks: string): NodeAgentError {
  return new NodeAgentError(errorCodes.invalidAnswer, `${call}: the runtime's answer has no ${lacks}`, { details: { call, lacks } });
}

/** Whether the runtime says that it has no such container or sandbox. */
export function isNotFound(error: unknown): boolean {
  return errorCode(error) === 'CRI_NOT_FOUND';
}
