import { errorCode, type Logger, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, CgroupDriver, RuntimeService } from '@nodeagent/cri-api';
import { criError } from './errors.js';

/** What a runtime says about itself. */
export interface RuntimeFacts {
  /** Version of the kubelet's runtime API: always `0.1.0`. */
  version: string;
  /** `containerd`, `cri-o`, ... */
  runtimeName: string;
  /** Version of the runtime, in its own form. */
  runtimeVersion: string;
  /** Version of the CRI that it speaks: `v1`. */
  runtimeApiVersion: string;
  /** The cgroup driver that kubelet and runtime must share; absent when the runtime does not tell (it has no RuntimeConfig). */
  cgroupDriver?: CgroupDriver;
}

/** What a kubelet asks for in Version, and demands in the answer. */
const kubeletApiVersion = '0.1.0';

/** Asks who the runtime is, and refuses one that a kubelet would refuse. */
export async function checkRuntime(
  runtime: Pick<RuntimeService, 'version' | 'runtimeConfig'>,
  endpoint: string,
  options: CallOptions,
  logger: Logger,
): Promise<RuntimeFacts> {
  const { version, runtimeName, runtimeVersion, runtimeApiVersion } = await askVersion(runtime, endpoint, options);
  if (version !== kubeletApiVersion) {
    throw criError('CRI_VERSION_UNSUPPORTED', `runtime api version is not supported: "${version}"`, {
      hint: `${runtimeName || 'The runtime'} ${runtimeVersion} behind ${endpoint} must answer Version with "${kubeletApiVersion}"; use a release that serves CRI v1.`,
      details: { endpoint, version, expected: kubeletApiVersion },
    });
  }
  const facts = { version, runtimeName, runtimeVersion, runtimeApiVersion };
  try {
    const cgroupDriver = (await runtime.runtimeConfig({}, options)).linux?.cgroupDriver;
    return cgroupDriver === undefined ? facts : { ...facts, cgroupDriver };
  } catch (error) {
    if (errorCode(error) !== 'CRI_UNIMPLEMENTED') throw error;
    logger.info({ endpoint, runtimeName, runtimeVersion }, 'the runtime does not tell its cgroup driver');
    return facts;
  }
}

async function askVersion(runtime: Pick<RuntimeService, 'version'>, endpoint: string, options: CallOptions) {
  try {
    return await runtime.version({ version: kubeletApiVersion }, options);
  } catch (error) {
    if (errorCode(error) !== 'CRI_UNIMPLEMENTED' || !(error instanceof NodeAgentError)) throw error;
    throw criError('CRI_UNIMPLEMENTED', error.message, {
      hint: `What listens on ${endpoint} does not serve CRI v1. For containerd: take "cri" out of disabled_plugins in its configuration.`,
      details: error.details,
      cause: error,
    });
  }
}
