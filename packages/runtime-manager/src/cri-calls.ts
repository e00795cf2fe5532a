import { type Clock, errorCode, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { type CallSignals, createCallSignals } from './call-signals.js';
import type { CriRuntime } from './cri-runtime.js';
import { runtimeManagerErrorCodes } from './errors.js';

/** Creating a sandbox pulls its image and sets up its network, hence twice the time of other calls. */
const sandboxTimeoutFactor = 2;

/** What ends a call that does not end by itself. */
export interface CallBounds {
  clock: Clock;
  /** 0 for none. */
  timeoutMs: number;
  /** The end of whoever calls. */
  ended?: AbortSignal | undefined;
}

interface Bounds extends Omit<CallBounds, 'ended'> {
  signals: CallSignals;
}

type Call<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;

/**
 * The runtime with a deadline for each call, kept here and not left to it: a call that never comes back fails and holds nobody up.
 * `signal` in a call's options ends the waiting too, and so does that of the bounds.
 */
export function boundedCri(cri: CriRuntime, { clock, timeoutMs, ended }: CallBounds): CriRuntime {
  const signals = createCallSignals(ended);
  const bounded =
    <Request, Response>(
      name: string,
      method: Call<Request, Response>,
      timeoutOf: (request: Request) => number = () => timeoutMs,
    ): Call<Request, Response> =>
    (request, options) =>
      bound({ clock, signals, timeoutMs: timeoutOf(request) }, name, options?.signal, (inner) => method.call(cri, request, inner));

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
    containerStats: bounded('ContainerStats', cri.containerStats),
    updateContainerResources: bounded('UpdateContainerResources', cri.updateContainerResources),
    updatePodSandboxResources: bounded('UpdatePodSandboxResources', cri.updatePodSandboxResources),
    exec: checked('Exec', 'url', bounded('Exec', cri.exec)),
    attach: checked('Attach', 'url', bounded('Attach', cri.attach)),
    portForward: checked('PortForward', 'url', bounded('PortForward', cri.portForward)),
    updateRuntimeConfig: bounded('UpdateRuntimeConfig', cri.updateRuntimeConfig),
    execSync: (request, options) =>
      bound({ clock, signals, timeoutMs: 0 }, 'ExecSync', options?.signal, (inner) => cri.execSync(request, inner)),
  };
}

/** The question for an image's user, with a deadline as above. */
export function boundedImageService(
  service: Pick<ImageService, 'imageStatus'>,
  { clock, timeoutMs, ended }: CallBounds,
): Pick<ImageService, 'imageStatus'> {
  const bounds = { clock, timeoutMs, signals: createCallSignals(ended) };
  return {
    imageStatus: (request, options) => bound(bounds, 'ImageStatus', options?.signal, async (inner) => service.imageStatus(request, inner)),
  };
}

/** A call that ends by itself, by its deadline or because nobody wants its answer any more. */
function bound<T>(
  { clock, timeoutMs, signals }: Bounds,
  name: string,
  caller: AbortSignal | undefined,
  run: (options: CallOptions) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const calling = signals.of(caller);
    const fail = (reason: unknown) => {
      leave();
      reject(reason);
    };
    const leaveSignal = calling.onAbort(fail);
    // The call is told its deadline, and is left at it in any case.
    const timer = timeoutMs > 0 ? clock.setTimeout(() => fail(deadlineExceeded(name, timeoutMs)), timeoutMs) : undefined;
    const leave = () => {
      leaveSignal();
      timer?.cancel();
    };
    const { signal } = calling;
    run(signal ? { timeoutMs, signal } : { timeoutMs }).then((answer) => {
      leave();
      resolve(answer);
    }, fail);
  });
}

function deadlineExceeded(name: string, timeoutMs: number): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.deadlineExceeded, `${name}: the runtime did not answer within ${timeoutMs / 1000} s`, {
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
  return new NodeAgentError(runtimeManagerErrorCodes.invalidAnswer, `${call}: the runtime's answer has no ${lacks}`, {
    details: { call, lacks },
  });
}

/** Whether the runtime says that it has no such container or sandbox. */
export function isNotFound(error: unknown): boolean {
  return errorCode(error) === 'CRI_NOT_FOUND';
}
