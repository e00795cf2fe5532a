import { type Clock, type Logger, type NodeAgentError, type PodSource, silentLogger, systemClock } from '@nodeagent/api';
import { completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import { requireText } from '../errors.js';
import type { LocalObject } from '../manifest/local-object.js';
import { manifestSourceSettings } from '../settings.js';
import { type FileRun, type FileRunOptions, startFileRun } from './file-run.js';
import type { ManifestFileSystem } from './manifest-files.js';
import { nodeFileSystem } from './node-files.js';
import { nodeWatch, type Watch } from './watch.js';

export interface FileSourceOptions extends GivenSettings<typeof manifestSourceSettings> {
  /** A directory of manifests, or a single file. It may be missing. */
  path: string;
  /** Part of the pods' names and UIDs. */
  nodeName: string;
  /** Default: the system clock. */
  clock?: Clock;
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
  /**
   * Called with all ConfigMaps and Secrets of the manifests after each read, before the pods. With it pods may refer to them, and a `List` and a
   * `Deployment` are accepted: an agent without a cluster serves them. Default: manifests describe only pods, as in a kubelet.
   */
  onObjects?: (objects: readonly LocalObject[]) => void;
}

/**
 * Pods from manifest files: `staticPodPath` of a kubelet. {@link PodSource.start} resolves after the first read of the path. Later changes
 * are emitted immediately, or within `checkIntervalMs` if no watch reports them.
 */
export function createFileSource(options: FileSourceOptions): PodSource {
  requireText('path', options.path);
  requireText('nodeName', options.nodeName);
  const { checkIntervalMs } = completeSettings(manifestSourceSettings, options, '');
  const runOptions: FileRunOptions = {
    path: options.path.replace(/(?<=.)\/+$/, ''),
    nodeName: options.nodeName,
    clock: options.clock ?? systemClock,
    checkIntervalMs,
    keepLastGood: options.keepLastGood ?? true,
    watch: options.watch ?? nodeWatch,
    files: options.files ?? nodeFileSystem,
    logger: options.logger ?? silentLogger,
    onError: options.onError ?? (() => {}),
    onErrors: options.onErrors ?? (() => {}),
    onWarning: options.onWarning ?? (() => {}),
    onObjects: options.onObjects,
  };
  let run: FileRun | undefined;
  let aborted = () => {};
  let listened: AbortSignal | undefined;
  const source: PodSource = {
    name: 'file',
    onPods: undefined,
    async start(signal) {
      if (signal?.aborted) return;
      if (run === undefined) {
        run = startFileRun(runOptions, (pods) => source.onPods?.(pods));
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
