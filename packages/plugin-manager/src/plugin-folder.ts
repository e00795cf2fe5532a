import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage, type Logger, silentLogger } from '@nodeagent/api';

/** A socket in the plugin folder. */
export interface PluginSocket {
  path: string;
  /** Changes if the socket is re-created. */
  id: string;
}

/** The folder with the sockets of plugins. */
export interface PluginFolder {
  /**
   * Lists the sockets in the folder and its subfolders. Ignores names that start with a dot and files that are not sockets. Rejects if the
   * folder itself cannot be read.
   */
  scan(): Promise<PluginSocket[]>;
  /** The listener is called when the folder may have changed since the start of the last scan. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** The findings of a scan. */
interface Scan {
  sockets: PluginSocket[];
  folders: Set<string>;
  /** Errors by skipped path. */
  failures: Map<string, string>;
}

/**
 * The folder on disk, created with the first scan (mode 0755) and watched from then on until the last listener is removed. A path in it that cannot
 * be read is logged once and skipped; the sockets that the previous scan found there are kept, because an unreadable socket is not a removed
 * one.
 */
export function pluginFolder(path: string, options: { logger?: Logger } = {}): PluginFolder {
  return new Folder(path, options.logger ?? silentLogger);
}

class Folder implements PluginFolder {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #watchers = new Map<string, FSWatcher>();
  #changed: (() => void) | undefined;
  #isCreated = false;
  #previous: Pick<Scan, 'sockets' | 'failures'> = { sockets: [], failures: new Map() };

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  async scan(): Promise<PluginSocket[]> {
    // Only once: a folder that is removed while it is watched stays removed.
    if (!this.#isCreated) await mkdir(this.#path, { recursive: true, mode: 0o755 });
    this.#isCreated = true;
    const scan: Scan = { sockets: [], folders: new Set(), failures: new Map() };
    await this.#visit(this.#path, scan);
    for (const folder of this.#watchers.keys()) if (!scan.folders.has(folder)) this.#unfollow(folder);
    this.#previous = scan;
    return scan.sockets;
  }

  onChange(listener: () => void): () => void {
    this.#changed = listener;
    return () => {
      this.#changed = undefined;
      for (const folder of [...this.#watchers.keys()]) this.#unfollow(folder);
    };
  }

  #follow(folder: string, scan: Scan): void {
    if (this.#changed === undefined || this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, () => this.#changed?.());
      watcher.on('error', () => this.#unfollow(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (!isRemoved(error)) this.#report(scan, folder, 'watch', error);
    }
  }

  #unfollow(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #report({ failures }: Scan, failed: string, action: 'read' | 'watch', error: unknown): void {
    const cause = `${action}: ${errorMessage(error)}`;
    failures.set(failed, cause);
    if (this.#previous.failures.get(failed) === cause) return;
    const hint =
      action === 'read'
        ? 'remove it, or correct its permissions'
        : 'raise fs.inotify.max_user_watches; until then the periodic scan finds its changes';
    this.#logger.warn({ path: failed, err: error, hint }, `cannot ${action} a path in the plugin folder`);
  }

  #skip(scan: Scan, failed: string, error: unknown): void {
    if (isRemoved(error)) return;
    this.#report(scan, failed, 'read', error);
    if (errorCode(error) === 'ELOOP') return;
    scan.sockets.push(...this.#previous.sockets.filter((socket) => socket.path === failed || socket.path.startsWith(`${failed}/`)));
  }

  async #visit(folder: string, scan: Scan): Promise<void> {
    scan.folders.add(folder);
    // Watch before reading, so that no change in between is missed.
    this.#follow(folder, scan);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const child = join(folder, entry.name);
      try {
        if (entry.isDirectory()) await this.#visit(child, scan);
        else await this.#visitFile(child, scan);
      } catch (error) {
        this.#skip(scan, child, error);
      }
    }
  }

  async #visitFile(file: string, { sockets }: Scan): Promise<void> {
    const stats = await stat(file);
    if (stats.isSocket()) sockets.push({ path: file, id: `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` });
  }
}

/** Whether the path was removed since its folder was read. */
const isRemoved = (error: unknown) => errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
