import { join } from 'node:path';
import { type Clock, NodeAgentError, type PodListHandler, type Timer } from '@nodeagent/api';
import { podSourcesErrorCodes } from '../errors.js';
import type { LocalObject } from '../manifest/local-object.js';
import { createBurst } from './burst.js';
import { allObjects, type FileObjects, nextFileObjects } from './file-objects.js';
import { createFileReport, type FileReportOptions } from './file-report.js';
import { emptyFileSourceState, type FileSourceStep, nextFileSourceState } from './file-source-state.js';
import type { ManifestFileSystem } from './manifest-files.js';
import { createManifestReader, readChange, scanPath, unreadable } from './manifest-reader.js';
import { createPathWatch } from './path-watch.js';
import type { Watch } from './watch.js';

const quietMs = 50;
const maxBurstMs = 1000;
const maxNames = 1000;

/** The options of a file source, with their defaults. */
export interface FileRunOptions extends FileReportOptions {
  path: string;
  nodeName: string;
  clock: Clock;
  checkIntervalMs: number;
  keepLastGood: boolean;
  watch: Watch;
  files: ManifestFileSystem;
  /** Receives the objects beside the pods, before the pods; undefined: manifests describe only pods. */
  onObjects: ((objects: readonly LocalObject[]) => void) | undefined;
}

/** A file source between its start and its stop. */
export interface FileRun {
  /** Resolves after the first read of the path. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/** Starts passes, each over all files or over the changed ones, and calls `onPods` with the pods of the manifests. */
export function startFileRun(options: FileRunOptions, onPods: PodListHandler): FileRun {
  return new Passes(options, onPods);
}

class Passes implements FileRun {
  readonly ready: Promise<void>;
  readonly #options: FileRunOptions;
  readonly #onPods: PodListHandler;
  readonly #reader;
  readonly #report;
  readonly #burst;
  readonly #pathWatch;
  #state = emptyFileSourceState;
  #objects: FileObjects = new Map();
  #due: ReadonlySet<string> | 'all' | undefined;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: FileRunOptions, onPods: PodListHandler) {
    const { path, nodeName, clock, watch, files, logger } = options;
    this.#options = options;
    this.#onPods = onPods;
    this.#reader = createManifestReader(files, nodeName, { localObjects: options.onObjects !== undefined });
    this.#report = createFileReport(options);
    this.#burst = createBurst({ clock, quietMs, maxMs: maxBurstMs, maxNames, onBurst: (names) => this.#request(names) });
    this.#pathWatch = createPathWatch({ path, files, watch, clock, logger, onEvent: (name) => this.#burst.add(name) });
    this.#checkLater();
    this.ready = this.#request('all');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#burst.clear();
    this.#pathWatch.stop();
    await this.#working;
  }

  #checkLater(): void {
    const { clock, checkIntervalMs } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#checkLater();
      void this.#request('all');
    }, checkIntervalMs);
  }

  #request(what: ReadonlySet<string> | 'all'): Promise<void> {
    this.#due = what === 'all' || this.#due === 'all' ? 'all' : new Set([...(this.#due ?? []), ...what]);
    this.#working ??= this.#work();
    return this.#working;
  }

  async #work(): Promise<void> {
    while (this.#due !== undefined && !this.#stopped) {
      const what = this.#due;
      this.#due = undefined;
      await this.#pass(what);
    }
    this.#working = undefined;
  }

  async #pass(what: ReadonlySet<string> | 'all'): Promise<void> {
    try {
      const { found: root, moved } = await this.#pathWatch.ensure();
      if (root === undefined) {
        this.#report.path(missing(this.#options.path));
        this.#report.keepOnly(new Set());
        this.#apply({ type: 'missing' });
        return;
      }
      if (moved || what === 'all' || root.kind !== 'directory') await this.#scan(root.kind !== 'directory');
      else await this.#readChanged(what);
      this.#report.path(undefined);
    } catch (error) {
      this.#report.path(unreadable(this.#options.path, error));
    }
  }

  async #scan(single: boolean): Promise<void> {
    const step = await scanPath(this.#reader, this.#options.path, single);
    if (this.#stopped) return;
    const found = step.type === 'scan' ? step.files : [];
    this.#report.keepOnly(new Set(found.map(({ file }) => file)));
    for (const file of found) this.#report.file(file);
    this.#apply(step);
  }

  async #readChanged(names: ReadonlySet<string>): Promise<void> {
    for (const name of names) {
      const file = join(this.#options.path, name);
      const step = await readChange(this.#reader, file);
      if (this.#stopped) return;
      if (step.type === 'change') this.#report.file(step.file);
      else this.#report.forget(file);
      this.#apply(step);
    }
  }

  #apply(step: FileSourceStep): void {
    if (this.#stopped) return;
    const { keepLastGood, logger } = this.#options;
    const result = nextFileSourceState(this.#state, step, { keepLastGood });
    this.#state = result.state;
    if (step.type === 'scan' || keepLastGood) this.#report.duplicates(result.duplicates);
    this.#objects = nextFileObjects(this.#objects, step);
    try {
      this.#options.onObjects?.(allObjects(this.#objects));
      if (result.pods !== undefined) this.#onPods(result.pods);
    } catch (error) {
      logger.error({ err: error }, 'the pod handler of the file source failed');
    }
  }
}

function missing(path: string): NodeAgentError {
  return new NodeAgentError(podSourcesErrorCodes.unreadableManifest, `${path}: path does not exist, ignoring`, {
    retryable: true,
    hint: 'create it, or remove the path from the configuration',
    details: { file: path },
  });
}
