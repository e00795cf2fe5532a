import { errorCode, type Logger, NodeAgentError } from '@nodeagent/api';
import type { CallOptions, CgroupDriver, RuntimeService } from '@nodeagent/cri-api';
import { criError } from './errors.js';

/** A runtime's name, versions and cgroup driver. */
export interface RuntimeFacts {
  /** Version of the kubelet's runtime API: always `0.1.0`. */
  version: string;
  /** `containerd`, `cri-o`, ... */
  runtimeName: string;
  /** Version of the runtime, in the runtime's format. */
  runtimeVersion: string;
  /** Version of the CRI that it serves: `v1`. */
  runtimeApiVersion: string;
  /** The cgroup driver that kubelet and runtime must share; absent if the runtime does not report it (RuntimeConfig is not implemented). */
  cgroupDriver?: CgroupDriver;
}

/** The version that a kubelet sends in Version, and requires in the response. */
const kubeletApiVersion = '0.1.0';

/** Requests the runtime's version, and rejects a runtime that a kubelet would reject. */
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
    logger.info({ endpoint, runtimeName, runtimeVersion }, 'the runtime does not report its cgroup driver');
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
