import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';

/** A socket that was found. */
export interface PluginSocket {
  path: string;
  /** Another one when the socket has been made anew. */
  id: string;
}

/** Where plugins put their sockets. */
export interface PluginFolder {
  /** The sockets that are there, in subfolders too; names that begin with a dot and whatever is no socket are left out. */
  scan(): Promise<PluginSocket[]>;
  /** Called when something may have changed since the last scan began. Returns how to stop that. */
  onChange(listener: () => void): () => void;
}

/** The folder on disk, made with the first scan (mode 0755) and watched from then on until nobody listens any more. */
export function pluginFolder(path: string): PluginFolder {
  const watchers = new Map<string, FSWatcher>();
  let changed: (() => void) | undefined;
  let isMade = false;

  function follow(folder: string): void {
    if (changed === undefined || watchers.has(folder)) return;
    const watcher = watch(folder, () => changed?.());
    watcher.on('error', () => unfollow(folder));
    watchers.set(folder, watcher);
  }

  function unfollow(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  async function visit(folder: string, sockets: PluginSocket[], folders: Set<string>): Promise<void> {
    folders.add(folder);
    // Before it is read: what comes in between is told.
    follow(folder);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const child = join(folder, entry.name);
      if (entry.isDirectory()) await unlessGone(visit(child, sockets, folders));
      else {
        const stats = await unlessGone(stat(child));
        if (stats?.isSocket()) sockets.push({ path: child, id: `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` });
      }
    }
  }

  return {
    async scan() {
      // Only once: who takes the folder away while it is watched shall not find it again.
      if (!isMade) await mkdir(path, { recursive: true, mode: 0o755 });
      isMade = true;
      const sockets: PluginSocket[] = [];
      const folders = new Set<string>();
      await visit(path, sockets, folders);
      for (const folder of watchers.keys()) if (!folders.has(folder)) unfollow(folder);
      return sockets;
    },
    onChange(listener) {
      changed = listener;
      return () => {
        changed = undefined;
        for (const folder of [...watchers.keys()]) unfollow(folder);
      };
    },
  };
}

/** Undefined for what was removed meanwhile. */
function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
}
