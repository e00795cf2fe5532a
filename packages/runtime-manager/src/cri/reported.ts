import type { RuntimeChange } from '@nodeagent/api';
import type { CriRuntime } from './methods.js';

/**
 * The runtime with a report before and after each call that changes a container or sandbox. After the report before the call, the receiver
 * expects events of the runtime about it.
 */
export function reportedCri(cri: CriRuntime, report: (change: RuntimeChange) => void): CriRuntime {
  /** A call whose failure leaves it unknown whether the runtime has created something. */
  const creating = async <T>(podUid: string | undefined, call: Promise<T>, created: (answer: T) => RuntimeChange): Promise<T> => {
    const pod = podUid === undefined ? {} : { podUid };
    try {
      const answer = await call;
      report({ ...pod, ...created(answer) });
      return answer;
    } catch (error) {
      report(pod);
      throw error;
    }
  };
  const changing = async <T>({ id = '', podSandboxId = '' }: RuntimeChange, call: () => Promise<T>): Promise<T> => {
    if (id === '') return call();
    const change = podSandboxId === '' ? { id } : { id, podSandboxId };
    report(change);
    try {
      return await call();
    } finally {
      report(change);
    }
  };
  const removing = async <T>(id: string | undefined, call: Promise<T>): Promise<T> => {
    const answer = await call;
    if (id) report({ id, removed: true });
    return answer;
  };

  return {
    ...cri,
    runPodSandbox: (request, options) =>
      creating(request.config?.metadata?.uid, cri.runPodSandbox(request, options), ({ podSandboxId }) => ({
        id: podSandboxId,
        podSandboxId,
      })),
    createContainer: (request, options) =>
      creating(request.sandboxConfig?.metadata?.uid, cri.createContainer(request, options), ({ containerId }) => ({
        id: containerId,
        podSandboxId: request.podSandboxId,
      })),
    startContainer: (request, options) => changing({ id: request.containerId }, () => cri.startContainer(request, options)),
    stopContainer: (request, options) => changing({ id: request.containerId }, () => cri.stopContainer(request, options)),
    stopPodSandbox: (request, options) => {
      const { podSandboxId } = request;
      return changing({ id: podSandboxId, podSandboxId }, () => cri.stopPodSandbox(request, options));
    },
    removeContainer: (request, options) => removing(request.containerId, cri.removeContainer(request, options)),
    removePodSandbox: (request, options) => removing(request.podSandboxId, cri.removePodSandbox(request, options)),
  };
}
