import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, createRunLoop, errorCode, errorMessage, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import { readRegularFile } from '@nodeagent/api/files';
import { chooseNetworks, dropInFolder, isConfigurationName, type Networks, notReadyMessage } from '../config/choose-networks.js';
import type { ConfigurationFile } from '../config/parse-network.js';
import type { NetworkSource } from '../network-source.js';

export interface NetworkFolderOptions {
  /** Default `/etc/cni/net.d`. */
  configDir?: string;
  /** Default: the system clock. */
  clock?: Clock;
  logger?: Logger;
}

/** Waits for the further events of one change before a reading. */
const settleMs = 50;
/** The time between two readings of a folder that cannot be watched, such as a missing one. */
const pollMs = 5_000;

/**
 * The networks of the configuration folder, which it watches; it polls one that it cannot watch. `start` resolves after the first reading. A
 * network stays if its file cannot be read for a while, and is removed with its file.
 */
export function createNetworkFolder(options: NetworkFolderOptions = {}): NetworkSource {
  const { configDir = '/etc/cni/net.d', clock = systemClock, logger = silentLogger } = options;
  let current: Networks = { networks: [], problems: [] };
  let firstReading: Promise<void> | undefined;

  /** Sets the watches before it reads, so that no change is lost. Resolves to whether all folders are watched. */
  async function read(watches: FolderWatches): Promise<void> {
    watches.renew(configDir);
    const files = await readFiles(configDir, isConfigurationName);
    const folders = new Map<string, ConfigurationFile[]>();
    for (const name of new Set(files.flatMap((file) => dropInFolder(file) ?? []))) {
      const folder = join(configDir, name);
      watches.add(folder);
      folders.set(name, await readFiles(folder, (file) => file.endsWith('.conf')));
    }
    const next = chooseNetworks({ files, dropIns: (network) => folders.get(network) ?? [] });
    report(next);
    current = next;
  }

  function report(next: Networks): void {
    const [before, after] = [current, next].map(({ networks: [first] }) => first);
    if (before?.json !== after?.json) logger.info({ network: after?.name ?? '' }, 'the default CNI network changed');
    const known = new Set(current.problems.map(problemText));
    for (const problem of next.problems)
      if (!known.has(problemText(problem))) logger.warn({ file: problem.file, err: problem.error }, 'skipping a CNI configuration');
  }

  const loop = createRunLoop(async (signal) => {
    const watches = new FolderWatches();
    const readOnce = () =>
      read(watches).catch((error) => logger.warn({ path: configDir, err: error }, 'cannot read the CNI configurations'));
    const stopped = () => watches.close();
    signal.addEventListener('abort', stopped, { once: true });
    firstReading = readOnce();
    await firstReading;
    while (!signal.aborted) {
      await watches.changed(clock, signal);
      if (signal.aborted) break;
      await clock.sleep(settleMs, signal).catch(() => {});
      await readOnce();
    }
    watches.close();
  });

  return {
    async start(signal) {
      await loop.start(signal);
      await firstReading;
    },
    stop: () => loop.stop(),
    networks: () => current.networks,
    notReadyMessage: () => notReadyMessage(configDir, current),
  };
}

const problemText = ({ file, error }: Networks['problems'][number]) => `${file}: ${errorMessage(error)}`;

/** The regular files of a folder with such names; none of a missing folder. A file that is missing or unreadable is skipped. */
async function readFiles(folder: string, accepts: (name: string) => boolean): Promise<ConfigurationFile[]> {
  const names = await readdir(folder).catch((error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const files: ConfigurationFile[] = [];
  for (const name of names.filter(accepts)) {
    const text = await readRegularFile(join(folder, name)).catch(() => undefined);
    if (text !== undefined) files.push({ name, text });
  }
  return files;
}

/** Watches of folders until the next change. */
class FolderWatches {
  #watchers: FSWatcher[] = [];
  #isComplete = true;
  #isChanged = false;
  #notify = () => {};

  /** Ends all watches, and begins with this folder. */
  renew(folder: string): void {
    this.close();
    this.#isComplete = true;
    this.#isChanged = false;
    this.#add(folder, true);
  }

  /** A folder that need not exist: its parent is watched too. */
  add(folder: string): void {
    this.#add(folder, false);
  }

  #add(folder: string, isRequired: boolean): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#change());
      watcher.on('error', () => this.#change());
      this.#watchers.push(watcher);
    } catch (error) {
      if (isRequired || errorCode(error) !== 'ENOENT') this.#isComplete = false;
    }
  }

  #change(): void {
    this.#isChanged = true;
    this.#notify();
  }

  /** Resolves at the next change, after the time between two polls if a folder is not watched, or when the signal aborts. */
  async changed(clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#isChanged) return;
    await new Promise<void>((resolve) => {
      this.#notify = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      const timer = this.#isComplete ? undefined : clock.setTimeout(resolve, pollMs);
      const notify = this.#notify;
      this.#notify = () => {
        timer?.cancel();
        notify();
      };
    });
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }
}
