import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { access, chmod, mkdir, readdir, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { errorCode } from '@nodeagent/api';
import { createFileCall, openRegularFile, readRegularFile, removeSmallTree, unlessAbsent } from '@nodeagent/api/files';
import type { PodFiles } from './files.js';

/** For the calls of container starts. */
const call = createFileCall();

/** The node's file system. */
export const nodeFiles: PodFiles = {
  async makeDirectory(path, mode) {
    const options = { recursive: true, mode };
    await call(
      () => mkdirSync(path, options),
      () => mkdir(path, options),
    );
  },
  writeFile: (path, content, mode) =>
    call(
      () => {
        writeFileSync(path, content, { mode });
        chmodSync(path, mode);
      },
      async () => {
        await writeFile(path, content, { mode });
        await chmod(path, mode);
      },
    ),
  readText: (path) => unlessAbsent(readRegularFile(path)),
  async readTail(path, maxBytes) {
    // Most termination messages are empty: one call for them.
    if ((await unlessAbsent(stat(path)))?.size === 0) return new Uint8Array();
    const file = await unlessAbsent(openRegularFile(path));
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      const length = Math.min(size, maxBytes);
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  },
  list: async (path) => {
    const names = call(
      () => readdirSync(path),
      () => readdir(path),
    );
    return (await unlessAbsent(names)) ?? [];
  },
  exists: (path) =>
    call(
      () => existsSync(path),
      () =>
        access(path).then(
          () => true,
          () => false,
        ),
    ),
  remove: (path) => removeSmallTree(path, call),
  async symlink(target, path) {
    try {
      await call(
        () => symlinkSync(target, path),
        () => symlink(target, path),
      );
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      await unlink(path);
      await symlink(target, path);
    }
  },
};
