import { type Clock, NodeAgentError, type RuntimeVersion } from '@nodeagent/api';
import type { CriRuntime } from '../cri/methods.js';
import { runtimeManagerErrorCodes } from '../errors.js';

/** The version that a kubelet sends in Version, and requires in the response. */
const kubeletApiVersion = '0.1.0';
/** How long the response is cached, in milliseconds: the runtime may be upgraded. */
const cacheMs = 60_000;

/** Requests the runtime's version at most once a minute. Rejects with RuntimeVersionNotSupported if it serves another version of the CRI. */
export function createRuntimeVersion(cri: Pick<CriRuntime, 'version'>, clock: Pick<Clock, 'monotonic'>) {
  let last: { version: RuntimeVersion; at: number } | undefined;

  const read = async (signal?: AbortSignal): Promise<RuntimeVersion> => {
    const answer = await cri.version({ version: kubeletApiVersion }, signal ? { signal } : {});
    if (answer.version !== kubeletApiVersion) throw unsupportedVersion(answer.version);
    const version = { name: answer.runtimeName, version: answer.runtimeVersion };
    last = { version, at: clock.monotonic() };
    return version;
  };
  return {
    read,
    cached: async (signal?: AbortSignal): Promise<RuntimeVersion> =>
      last && clock.monotonic() - last.at < cacheMs ? last.version : read(signal),
  };
}

function unsupportedVersion(version: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.runtimeVersion, `runtime api version is not supported: "${version}"`, {
    hint: `The runtime must respond to Version with "${kubeletApiVersion}": use a release that serves CRI v1.`,
    details: { version, expected: kubeletApiVersion },
  });
}
