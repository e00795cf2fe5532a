import { type Clock, NodeAgentError, type RuntimeVersion } from '@nodeagent/api';
import type { CriRuntime } from './cri-runtime.js';
import { runtimeManagerErrorCodes } from './errors.js';

/** What a kubelet asks for in Version, and demands in the answer. */
const kubeletApiVersion = '0.1.0';
/** How long an answer counts: a runtime may be replaced by a newer one. */
const cacheMs = 60_000;

/** Asks the runtime what it is, at most once a minute. Rejects with RuntimeVersionNotSupported if it speaks another version of the CRI. */
export function createRuntimeVersion(cri: Pick<CriRuntime, 'version'>, clock: Pick<Clock, 'monotonic'>) {
  let last: { version: RuntimeVersion; at: number } | undefined;

  const ask = async (signal?: AbortSignal): Promise<RuntimeVersion> => {
    const answer = await cri.version({ version: kubeletApiVersion }, signal ? { signal } : {});
    if (answer.version !== kubeletApiVersion) throw unsupportedVersion(answer.version);
    const version = { name: answer.runtimeName, version: answer.runtimeVersion };
    last = { version, at: clock.monotonic() };
    return version;
  };
  return {
    ask,
    cached: async (signal?: AbortSignal): Promise<RuntimeVersion> =>
      last && clock.monotonic() - last.at < cacheMs ? last.version : ask(signal),
  };
}

function unsupportedVersion(version: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.runtimeVersion, `runtime api version is not supported: "${version}"`, {
    hint: `The runtime must answer Version with "${kubeletApiVersion}": use a release that serves CRI v1.`,
    details: { version, expected: kubeletApiVersion },
  });
}
