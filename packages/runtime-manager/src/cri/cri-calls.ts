import { type Clock, errorCode, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';
import { type CallSignals, createCallSignals } from './call-signals.js';
import type { CriRuntime } from './cri-runtime.js';

/** RunPodSandbox may pull the sandbox image and sets up the network, hence twice the timeout of other calls. */
const sandboxTimeoutFactor = 2;

/** The deadline and the abort signal of calls. */
export interface CallBounds {
  clock: Clock;
  /** 0 for none. */
  timeoutMs: number;
  /** Aborts when the agent stops. */
  ended?: AbortSignal | undefined;
}

interface Bounds extends Omit<CallBounds, 'ended'> {
  signals: CallSignals;
}

type Call<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;

/**
 * The runtime with a deadline for each call, enforced here and not only by the runtime: a call without a response fails at its deadline.
 * The call also rejects when `signal` in its options or `ended` of the bounds aborts.
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

/** ImageStatus with a deadline, as in {@link boundedCri}. */
export function boundedImageService(
  service: Pick<ImageService, 'imageStatus'>,
  { clock, timeoutMs, ended }: CallBounds,
): Pick<ImageService, 'imageStatus'> {
  const bounds = { clock, timeoutMs, signals: createCallSignals(ended) };
  return {
    imageStatus: (request, options) => bound(bounds, 'ImageStatus', options?.signal, async (inner) => service.imageStatus(request, inner)),
  };
}

/** A call that settles with its response, at its deadline or when a signal aborts. */
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
    // The call gets the deadline as an option; this timer enforces it if the implementation ignores it.
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
  return new NodeAgentError(
    runtimeManagerErrorCodes.deadlineExceeded,
    `${name}: the runtime did not respond within ${timeoutMs / 1000} s`,
    {
      retryable: true,
      hint: 'Check that the container runtime is running, and see its log. settings.runtimeRequestTimeoutMs sets the timeout.',
      details: { call: name, timeoutMs },
    },
  );
}

/** A call whose response must have `field`: a missing list must not count as an empty one. */
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

/** The error for a response without a field that the CRI requires. */
export function invalidAnswer(call: string, missing: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.invalidAnswer, `${call}: the runtime's response has no ${missing}`, {
    details: { call, missing },
  });
}

/** Whether the runtime reports that the container or sandbox does not exist. */
export function isNotFound(error: unknown): boolean {
  return errorCode(error) === 'CRI_NOT_FOUND';
}
