import { NodeAgentError, type NodeExpandOptions } from '@nodeagent/api';
import { isBlockVolume } from '@nodeagent/api/helpers';
import { csiAccessMode } from './access.js';
import { type PluginContext, readSecret, withDriver } from './context.js';
import { asExpansionError } from './driver-errors.js';
import { csiErrorCodes } from './errors.js';
import { mountCapability } from './mounter.js';
import { persistentSource } from './source.js';

/** Expands a volume on the node. */
export async function expandOnNode(context: PluginContext, options: NodeExpandOptions): Promise<boolean> {
  const { spec, newSize, devicePath, deviceMountPath, deviceStagePath } = options;
  const { volume, source } = persistentSource(spec);
  const { driver, volumeHandle } = source;
  const doing = 'Expander.NodeExpand failed to create newCsiDriverClient';
  await withDriver(context, driver, doing, options.signal, async (calls, signal) => {
    if (!(await calls.can('EXPAND_VOLUME'))) {
      throw new NodeAgentError(csiErrorCodes.csiNotSupported, `NodeExpand is not supported by the CSI driver ${driver}`);
    }
    const isBlock = isBlockVolume(spec);
    const accessMode = volume.spec?.accessModes?.[0] ?? 'ReadWriteOnce';
    const secrets = await readSecret(context, 'NodeExpandSecretRef', source.nodeExpandSecretRef, signal);
    const volumeCapability = isBlock
      ? { block: {}, accessMode: { mode: csiAccessMode(accessMode, await calls.can('SINGLE_NODE_MULTI_WRITER')) } }
      : await mountCapability(calls, { accessMode, fsType: source.fsType ?? '', mountFlags: volume.spec?.mountOptions ?? [] });
    await calls
      .call('nodeExpandVolume', {
        volumeId: volumeHandle,
        volumePath: isBlock ? devicePath : deviceMountPath,
        capacityRange: { requiredBytes: newSize.value() },
        stagingTargetPath: deviceStagePath,
        volumeCapability,
        secrets,
      })
      .catch((error: unknown) => {
        throw asExpansionError(error);
      });
  });
  return true;
}
