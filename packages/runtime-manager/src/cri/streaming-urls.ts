import { NodeAgentError, type StreamingRuntime } from '@nodeagent/api';
import { formatPod, podUid } from '@nodeagent/api/helpers';
import { labels } from '../config/labels.js';
import { runtimeManagerErrorCodes } from '../errors.js';
import { newestSandbox } from '../status/listing.js';
import { invalidAnswer } from './call-errors.js';
import type { CriRuntime } from './methods.js';

/** The URLs of the CRI's exec, attach and port-forward. */
export function createStreamingUrls(cri: Pick<CriRuntime, 'exec' | 'attach' | 'portForward' | 'listPodSandbox'>): StreamingRuntime {
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
        throw new NodeAgentError(runtimeManagerErrorCodes.podSandboxNotFound, `failed to find sandboxID for pod ${formatPod(pod)}`);
      }
      return parseUrl('PortForward', (await cri.portForward({ podSandboxId: sandbox.id, port: [...ports] }, call(signal))).url);
    },
  };
}

function parseUrl(method: string, url: string): URL {
  if (!URL.canParse(url)) throw invalidAnswer(method, 'valid url');
  return new URL(url);
}
