import { type Clock, errorCode, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { errorCodes } from './errors.js';
import type { CriRuntime } from './options.js';

/** Creating a sandbox pulls its image and sets up its network, hence twice the time of other calls. */
const sandboxTimeoutFactor = 2;

type Call<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;

/**
 * The runtime with a deadline for each call, kept here and not left to it: a call that never comes back fails and holds nobody up.
 * `signal` in a call's options ends the waiting too.
 */
export function boundedCri(cri: CriRuntime, clock: Clock, timeoutMs: number): CriRuntime {
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
    runPodSandbox: checked(
      'RunPodSandbox',
      'podSandboxId',
      bounded('RunPodSandbox', cri.runPodSandbox, () => sandboxTimeoutFactor * timeoutMs),
    ),
    stopPodSandbox: bounded('StopPodSandbox', cri.stopPodSandbox),
    removePodSandbox: bounded('RemovePodSandbox', cri.removePodSandbox),
    podSandboxStatus: bounded('PodSandboxStatus', cri.podSandboxStatus),
    listPodSandbox: checked('ListPodSandbox', 'items', bounded('ListPodSandbox', cri.listPodSandbox)),
    createContainer: checked('CreateContainer', 'containerId', bounded('CreateContainer', cri.createContainer)),
    startContainer: bounded('StartContainer', cri.startContainer),
    stopContainer: bounded('StopContainer', cri.stopContainer, ({ timeout = 0n }) => timeoutMs + Number(timeout) * 1000),
    removeContainer: bounded('RemoveContainer', cri.removeContainer),
    listContainers: checked('ListContainers', 'containers', bounded('ListContainers', cri.listContainers)),
    containerStatus: bounded('ContainerStatus', cri.containerStatus),
    updateContainerResources: bounded('UpdateContainerResources', cri.updateContainerResources),
    updatePodSandboxResources: bounded('UpdatePodSandboxResources', cri.updatePodSandboxResources),
    execSync: (request, options) => cri.execSync(request, options),
  };
}

/** The question for an image's user, with a deadline as above. */
export function boundedImageService(
  service: Pick<ImageService, 'imageStatus'>,
  clock: Clock,
  timeoutMs: number,
): Pick<ImageService, 'imageStatus'> {
  return {
    imageStatus: (request, options) =>
      withDeadline(clock, 'ImageStatus', timeoutMs, options?.signal, (bound) => service.imageStatus(request, bound)),
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

/** A call whose answer is nothing without `field`: an absent list must not pass for an empty one. */
function checked<Request, Response extends object>(
  name: string,
  field: keyof Response & string,
  call: Call<Request, Response>,
): Call<Request, Response> {
  return async (request, options) => {
    const response = await call(request, options);
    if (!response[field]) throw invalidAnswer(name, field);
    return response;
  };
}

/** The error for an answer that lacks what the CRI promises. */
export function invalidAnswer(call: string, lacks: string): NodeAgentError {
  return new NodeAgentError(errorCodes.invalidAnswer, `${call}: the runtime's answer has no ${lacks}`, { details: { call, lacks } });
}

/** Whether the runtime says that it has no such container or sandbox. */
export function isNotFound(error: unknown): boolean {
  return errorCode(error) === 'CRI_NOT_FOUND';
}
