import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readRegularFile, removeTree } from '@nodeagent/api/files';
import { ignoreMissing, unlessMissing } from '@nodeagent/mount-utils';
import { type CsiVolumeData, formatCsiData, parseCsiData } from './data.js';
import { blockDataName, blockFolderName, blockSharedFolders, dataFileName, stageFolderName } from './names.js';

const unfinishedName = `${dataFileName}.tmp`;

/** File operations of the CSI plugin. They remove only empty folders, and folders that the plugin created. */
export interface VolumeFiles {
  makeFolder(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Writes the data file into the folder, atomically even if the agent is killed. */
  saveData(folder: string, data: CsiVolumeData): Promise<void>;
  /** Undefined if there is no data file. */
  loadData(folder: string): Promise<CsiVolumeData | undefined>;
  /**
   * The data files of all staged volumes below the plugin's folder, which has a folder for each driver with a folder for each volume. Removes
   * folders that were created before the driver was called.
   */
  listStaged(pluginFolder: string): Promise<CsiVolumeData[]>;
  /** Like {@link VolumeFiles.listStaged} for raw block devices, one folder a volume; removes no mounted paths. */
  listBlockDevices(devicesFolder: string): Promise<CsiVolumeData[]>;
  /** Removes the mount's folder, the data file beside it and their parent. Rejects if it is mounted or has other files. */
  removeMountFolder(path: string): Promise<void>;
  /** Removes a folder or file that is empty or missing. */
  removeEmpty(path: string): Promise<void>;
  /** Removes a folder with its content. Rejects at a mount point inside it, and keeps that. */
  removeFolder(path: string): Promise<void>;
}

export function createVolumeFiles(isMountPoint: (path: string) => Promise<boolean>): VolumeFiles {
  async function removeEmpty(path: string): Promise<void> {
    const stats = await stat(path).catch(ignoreMissing);
    if (stats?.isDirectory()) await rmdir(path).catch(ignoreMissing);
    else await rm(path, { force: true });
  }

  async function removeMountFolder(path: string): Promise<void> {
    if (await isMountPoint(path)) throw new Error(`${path} is still mounted`);
    await removeEmpty(path);
    for (const name of [dataFileName, unfinishedName]) await rm(join(dirname(path), name), { force: true });
    await rmdir(dirname(path)).catch(ignoreMissing);
  }

  async function loadData(folder: string): Promise<CsiVolumeData | undefined> {
    const text = await readRegularFile(join(folder, dataFileName)).catch(ignoreMissing);
    return text === undefined ? undefined : parseCsiData(text);
  }

  /** A folder that cannot be read or removed does not affect the others. */
  async function collect(folders: string[], dataDir: (folder: string) => string, removeUnfinished: (folder: string) => Promise<void>) {
    const found: CsiVolumeData[] = [];
    for (const folder of folders) {
      try {
        const data = await loadData(dataDir(folder));
        if (data !== undefined) found.push(data);
        else await removeUnfinished(folder);
      } catch {}
    }
    return found;
  }

  const foldersIn = async (path: string) => (await unlessMissing(readdir(path), [])).map((name) => join(path, name));

  return {
    async makeFolder(path) {
      await mkdir(path, { recursive: true, mode: 0o750 });
    },
    // A mounted path is not touched: the volume's server may not answer.
    exists: async (path) => (await isMountPoint(path)) || (await stat(path).catch(ignoreMissing)) !== undefined,
    async saveData(folder, data) {
      const unfinished = join(folder, unfinishedName);
      await writeFile(unfinished, formatCsiData(data), { mode: 0o644 });
      await rename(unfinished, join(folder, dataFileName));
    },
    loadData,
    async listStaged(pluginFolder) {
      const drivers = (await foldersIn(pluginFolder)).filter((path) => basename(path) !== blockFolderName);
      const volumes = (await Promise.all(drivers.map(foldersIn))).flat();
      return collect(
        volumes,
        (folder) => folder,
        (folder) => removeMountFolder(join(folder, stageFolderName)),
      );
    },
    async listBlockDevices(devicesFolder) {
      const devices = (await foldersIn(devicesFolder)).filter((path) => !blockSharedFolders.includes(basename(path)));
      return collect(devices, (folder) => join(folder, blockDataName), removeTree);
    },
    removeMountFolder,
    removeEmpty,
    removeFolder: removeTree,
  };
}
