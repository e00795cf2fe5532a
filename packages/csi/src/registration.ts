import { type Clock, errorMessage, NodeAgentError } from '@nodeagent/api';
import { csiDriverNameProblems, quoteText } from '@nodeagent/api/helpers';
import { type CallCsiNode, withOperationTimeout } from './calls.js';
import type { Drivers } from './drivers.js';
import { csiErrorCodes } from './errors.js';
import type { NodeInfoManager } from './node-info.js';
import type { CsiNodeInfo } from './node-objects.js';
import { chooseCsiVersion } from './versions.js';

/** Registers CSI drivers on the node; the handler of plugins of type `CSIPlugin`. */
export interface CsiRegistration {
  validate(name: string, endpoint: string, versions: readonly string[]): void;
  register(name: string, endpoint: string, versions: readonly string[], signal: AbortSignal): Promise<void>;
  deregister(name: string, endpoint: string, signal: AbortSignal): Promise<void>;
}

export interface RegistrationOptions {
  drivers: Drivers;
  callNode: CallCsiNode;
  /** Absent without an API server. */
  nodeInfo: NodeInfoManager | undefined;
  clock: Clock;
  /** Called after a driver was registered or deregistered. */
  changed(): void;
}

/** Calls NodeGetInfo of a driver. */
export async function getNodeInfo(
  driver: { name: string; endpoint: string },
  callNode: CallCsiNode,
  clock: Clock,
  outer: AbortSignal,
): Promise<CsiNodeInfo> {
  const info = await withOperationTimeout(clock, outer, (signal) => callNode(driver, 'nodeGetInfo', {}, signal));
  return { nodeId: info.nodeId, maxVolumesPerNode: info.maxVolumesPerNode, topology: info.accessibleTopology?.segments ?? {} };
}

export function createRegistration({ drivers, callNode, nodeInfo, clock, changed }: RegistrationOptions): CsiRegistration {
  /** Throws for an invalid name too: names of drivers become names of folders and API objects. */
  function versionOf(caller: string, name: string, endpoint: string, versions: readonly string[]) {
    try {
      requireDriverName(name);
      return chooseCsiVersion(versions, drivers.find(name)?.version);
    } catch (cause) {
      const code = (cause as NodeAgentError).code;
      throw new NodeAgentError(
        code,
        `kubernetes.io/csi: ${caller} for CSI driver ${name} at endpoint ${endpoint} failed. ${errorMessage(cause)}`,
        code === csiErrorCodes.csiDriverExists ? { retryable: true } : {},
      );
    }
  }

  return {
    validate: (name, endpoint, versions) => {
      versionOf('ValidatePlugin', name, endpoint, versions);
    },
    async register(name, endpoint, versions, signal) {
      const driver = { name, endpoint, version: versionOf('RegisterPlugin', name, endpoint, versions) };
      drivers.set(driver);
      try {
        const info = await getNodeInfo(driver, callNode, clock, signal);
        await nodeInfo?.install(name, info, signal);
      } catch (error) {
        drivers.delete(name);
        await nodeInfo?.uninstall(name, signal).catch(() => {});
        throw error;
      }
      changed();
    },
    async deregister(name, _endpoint, signal) {
      drivers.delete(name);
      changed();
      await nodeInfo?.uninstall(name, signal);
    },
  };
}

function requireDriverName(name: string): void {
  const [problem] = csiDriverNameProblems(name);
  if (problem) throw new NodeAgentError(csiErrorCodes.csiDriverNameInvalid, `invalid driver name ${quoteText(name)}: ${problem}`);
}
