import { join } from 'node:path';
import {
  type Clock,
  checkOptionNames,
  type Logger,
  NodeAgentError,
  type OptionNames,
  type PodListHandler,
  type PodSource,
  requirePositive,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { podSourcesErrorCodes, requireText } from '../errors.js';
import { createBurst } from './burst.js';
import { createFileReport } from './file-report.js';
import { emptyFileSourceState, type FileSourceStep, nextFileSourceState } from './file-source-state.js';
import { type ManifestFileSystem, nodeFileSystem } from './manifest-files.js';
import { createManifestReader, readChange, scanPath, unreadable } from './manifest-reader.js';
import { createPathWatch } from './path-watch.js';
import { nodeWatch, type Watch } from './watch.js';

export interface FileSourceOptions {
  /** A directory of manifests, or a single file. It may be missing. */
  path: string;
  /** Part of the pods' names and UIDs. */
  nodeName: string;
  /** Default: the system clock. */
  clock?: Clock;
  /** Interval in milliseconds of complete rescans, in addition to the watch. Default 20000, as the kubelet's `fileCheckFrequency`. */
  checkIntervalMs?: number;
  /**
   * Whether to keep the last valid version of a pod whose manifest has become invalid. Default true; false is the kubelet's behaviour,
   * which removes the pod.
   */
  keepLastGood?: boolean;
  /** Default: `fs.watch`. */
  watch?: Watch;
  /** Default: the node's file system. */
  files?: ManifestFileSystem;
  logger?: Logger;
  /** Called with a one-line error for each new or changed error of a manifest. */
  onError?: (error: NodeAgentError) => void;
  /** Called with the errors of all manifests when one of them appears, changes or is resolved. */
  onErrors?: (errors: readonly NodeAgentError[]) => void;
  /** Called with one line for unknown fields and duplicate pods. */
  onWarning?: (message: string) => void;
}

const optionNames: OptionNames<FileSourceOptions> = {
  path: true,
  nodeName: true,
  clock: true,
  checkIntervalMs: true,
  keepLastGood: true,
  watch: true,
  files: true,
  logger: true,
  onError: true,
  onErrors: true,
  onWarning: true,
};

const quietMs = 50;
const maxBurstMs = 1000;
const maxNames = 1000;

/**
 * Pods from manifest files: `staticPodPath` of a kubelet. {@link PodSource.start} resolves after the first read of the path. Later changes
 * are emitted immediately, or within `checkIntervalMs` if no watch reports them.
 */
export function createFileSource(options: FileSourceOptions): PodSource {
  checkOptionNames('createFileSource', options, optionNames);
  requireText('path', options.path);
  requireText('nodeName', options.nodeName);
  const { checkIntervalMs = 20_000 } = options;
  requirePositive('checkIntervalMs', checkIntervalMs);
  let run: ReturnType<typeof startRun> | undefined;
  let aborted = () => {};
  let listened: AbortSignal | undefined;
  const source: PodSource = {
    name: 'file',
    onPods: undefined,
    async start(signal) {
      if (signal?.aborted) return;
      if (run === undefined) {
        run = startRun({ ...options, checkIntervalMs, path: options.path.replace(/(?<=.)\/+$/, '') }, (pods) => source.onPods?.(pods));
        aborted = () => void source.stop();
        listened = signal;
        listened?.addEventListener('abort', aborted, { once: true });
      }
      await run.ready;
    },
    async stop() {
      const ending = run;
      run = undefined;
      listened?.removeEventListener('abort', aborted);
      await ending?.stop();
    },
  };
  return source;
}

/** Runs passes from start to stop, each over all files or over the changed ones. */
function startRun(options: FileSourceOptions & { checkIntervalMs: number }, onPods: PodListHandler) {
  const { path, nodeName, clock = systemClock, keepLastGood = true, checkIntervalMs, watch = nodeWatch, files = nodeFileSystem } = options;
  const { logger = silentLogger, onError = () => {}, onErrors = () => {}, onWarning = () => {} } = options;
  const reader = createManifestReader(files, nodeName);
  const report = createFileReport({ logger, onError, onErrors, onWarning });
  let state = emptyFileSourceState;
  let due: Set<string> | 'all' | undefined;
  let working: Promise<void> | undefined;
  let timer: Timer | undefined;
  let stopped = false;

  const burst = createBurst({ clock, quietMs, maxMs: maxBurstMs, maxNames, onBurst: (names) => request(names) });
  const pathWatch = createPathWatch({ path, files, watch, clock, logger, onEvent: (name) => burst.add(name) });

  const apply = (step: FileSourceStep) => {
    if (stopped) return;
    const result = nextFileSourceState(state, step, { keepLastGood });
    state = result.state;
    if (step.type === 'scan' || keepLastGood) report.duplicates(result.duplicates);
    if (result.pods === undefined) return;
    try {
      onPods(result.pods);
    } catch (error) {
      logger.error({ err: error }, 'the pod handler of the file source failed');
    }
  };

  const scan = async (single: boolean) => {
    const step = await scanPath(reader, path, single);
    if (stopped) return;
    const found = step.type === 'scan' ? step.files : [];
    report.keepOnly(new Set(found.map(({ file }) => file)));
    for (const file of found) report.file(file);
    apply(step);
  };

  const readChanged = async (names: ReadonlySet<string>) => {
    for (const name of names) {
      const file = join(path, name);
      const step = await readChange(reader, file);
      if (stopped) return;
      if (step.type === 'change') report.file(step.file);
      else report.forget(file);
      apply(step);
    }
  };

  const pass = async (what: ReadonlySet<string> | 'all') => {
    try {
      const { found: root, moved } = await pathWatch.ensure();
      if (root === undefined) {
        report.path(missing(path));
        report.keepOnly(new Set());
        apply({ type: 'missing' });
        return;
      }
      if (moved || what === 'all' || root.kind !== 'directory') await scan(root.kind !== 'directory');
      else await readChanged(what);
      report.path(undefined);
    } catch (error) {
      report.path(unreadable(path, error));
    }
  };

  const work = async () => {
    while (due !== undefined && !stopped) {
      const what = due;
      due = undefined;
      await pass(what);
    }
    working = undefined;
  };

  const request = (what: ReadonlySet<string> | 'all') => {
    due = what === 'all' || due === 'all' ? 'all' : new Set([...(due ?? []), ...what]);
    working ??= work();
    return working;
  };

  const check = () => {
    timer = clock.setTimeout(() => {
      check();
      void request('all');
    }, checkIntervalMs);
  };

  check();
  return {
    ready: request('all'),
    async stop() {
      stopped = true;
      timer?.cancel();
      burst.clear();
      pathWatch.stop();
      await working;
    },
  };
}

function missing(path: string): NodeAgentError {
  return new NodeAgentError(podSourcesErrorCodes.unreadableManifest, `${path}: path does not exist, ignoring`, {
    retryable: true,
    hint: 'create it, or remove the path from the configuration',
    details: { file: path },
  });
}
