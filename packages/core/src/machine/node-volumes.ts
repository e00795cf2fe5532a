import { join } from 'node:path';
import type { Informer, Mounter } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import type { ApplyFsGroup, CsiOptions } from '@nodeagent/csi';
import { createCsi } from '@nodeagent/csi/node';
import {
  createFileSystemProbe,
  createNodeMounter,
  createSharedRoot,
  createSubPaths,
  createVolumeNode,
  type FileSystemProbe,
  isMountPoint,
  mountPathOf,
  readVolumeFile,
  setVolumeOwnership,
} from '@nodeagent/mount-utils';
import { supportsSELinuxLabels } from '@nodeagent/mount-utils/decisions';
import { createPluginManager, pluginFolder } from '@nodeagent/plugin-manager';
import { createVolumePlugins } from '@nodeagent/volume-plugins/node';
import { startInformers } from '../cluster/cluster-informers.js';
import type { VolumeParts, VolumePartsOptions } from '../host/volume-parts.js';

/** The volumes of this machine: all plugins, CSI, and the registration of CSI drivers and other plugins. */
export function createNodeVolumes(options: VolumePartsOptions): VolumeParts {
  const { rootDir, sources, tokens, specName, storage, signal, clock, recorder, logger } = options;
  const mounter = createNodeMounter();
  const fileSystems = createFileSystemProbe({ mounter, clock });
  const paths = volumePaths(rootDir);
  const csiDrivers = storage.csiDrivers?.informer();
  const csi = createCsi(csiOptions(options, { mounter, fileSystems }, csiDrivers));
  const registrations = createPluginManager({
    folder: pluginFolder(join(rootDir, 'plugins_registry'), { logger }),
    handlers: { ...options.pluginHandlers, CSIPlugin: csi.registration },
    clock,
    logger,
  });
  const subPaths = createSubPaths({ mounter, paths, fileSystems, specName, logger });
  return {
    plugins: [...createVolumePlugins({ rootDir, sources, mounter, fileSystems, tokens, clock, logger, recorder }), csi.plugin],
    node: createVolumeNode({ mounter, paths }),
    prepareSubPath: (request) => subPaths.prepare(request),
    readFile: readVolumeFile,
    members: [
      ...(options.isRootShared ? [createSharedRoot({ rootDir, mounter, clock, logger })] : []),
      ...(csiDrivers ? [startInformers([csiDrivers as Informer<never>], signal, logger)] : []),
      csi,
      registrations,
    ],
    notReadyReason: csi.notReadyReason,
  };
}

function csiOptions(
  options: VolumePartsOptions,
  { mounter, fileSystems }: { mounter: Mounter; fileSystems: FileSystemProbe },
  csiDrivers: CsiOptions['csiDrivers'],
): CsiOptions {
  const { rootDir, nodeName, tokens, storage, selinux, clock, random, logger, metrics } = options;
  const { volumeAttachments, secrets, nodes, csiNodes } = storage;
  const applyFsGroup: ApplyFsGroup = async (mount, signal) => {
    await fileSystems.requireAnswer(await mountPathOf(mount.path));
    await setVolumeOwnership({ ...mount, signal, logger });
  };
  return {
    rootDir,
    nodeName,
    isMountPoint: (path) => isMountPoint(mounter, path),
    applyFsGroup,
    ...(selinux && { supportsSELinux: async (path) => supportsSELinuxLabels(await mounter.list(), path) }),
    serviceAccountToken: (namespace, account, { spec }, signal) => tokens.getTokenRequest(namespace, account, spec, signal),
    ...(csiDrivers && { csiDrivers }),
    ...(volumeAttachments && { volumeAttachments }),
    ...(secrets && { secrets }),
    ...(nodes && { nodes }),
    ...(csiNodes && { csiNodes }),
    clock,
    random,
    logger,
    metrics,
  };
}
