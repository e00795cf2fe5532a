import { formatPod, NodeAgentError, type Pod, podUid } from '@nodeagent/api';
import { invalidAnswer } from './cri-calls.js';
import type { CriRuntime } from './cri-runtime.js';
import { errorCodes } from './errors.js';
import { labels } from './labels.js';
import { newestSandbox } from './listing.js';

/** Which streams of a process a client gets. With a terminal there is no separate error output. */
export interface StreamOptions {
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
}

/** Where the runtime waits for a client, once and for a short while. All reject as the runtime does. */
export interface StreamingUrls {
  /** For a command to be run in a running container. */
  execUrl(containerId: string, command: readonly string[], streams: StreamOptions, signal?: AbortSignal): Promise<URL>;
  /** For a running container's own process; `tty` as in its spec. */
  attachUrl(containerId: string, streams: StreamOptions, signal?: AbortSignal): Promise<URL>;
  /** For connections to ports of a pod's newest sandbox. Rejects with `PodSandboxNotFound` if it has none. */
  portForwardUrl(pod: Pod, ports: readonly number[], signal?: AbortSignal): Promise<URL>;
}

export function createStreamingUrls(cri: Pick<CriRuntime, 'exec' | 'attach' | 'portForward' | 'listPodSandbox'>): StreamingUrls {
  const call = (signal?: AbortSignal) => (signal ? { signal } : {});
  return {
    async execUrl(containerId, command, streams, signal) {
      return parseUrl('Exec', (await cri.exec({ containerId, cmd: [...command], ...streams }, call(signal))).url);
    },
    async attachUrl(containerId, streams, signal) {
      return parseUrl('Attach', (await cri.attach({ containerId, ...streams }, call(signal))).url);
    },
    async portForwardUrl(pod, ports, signal) {
      const filter = { labelSelector: { [labels.podUid]: podUid(pod) } };
      const sandbox = newestSandbox((await cri.listPodSandbox({ filter }, call(signal))).items);
      if (sandbox === undefined) {
        throw new NodeAgentError(errorCodes.podSandboxNotFound, `failed to find sandboxID for pod ${formatPod(pod)}`);
      }
      return parseUrl('PortForward', (await cri.portForward({ podSandboxId: sandbox.id, port: [...ports] }, call(signal))).url);
    },
  };
}

function parseUrl(method: string, url: string): URL {
  if (!URL.canParse(url)) throw invalidAnswer(method, 'valid url');
  return new URL(url);
}
