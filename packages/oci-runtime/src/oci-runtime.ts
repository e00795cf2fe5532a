import { existsSync, mkdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { type Clock, invalidOption, type Logger, type Startable, silentLogger, systemClock } from '@nodeagent/api';
import { lockExclusively } from '@nodeagent/api/files';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import type { Cni } from '@nodeagent/cni';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { createHostImageService, createStamps, createStartStop, notStarted, type Stamps } from '@nodeagent/process-runtime/cri';
import { rootLocked, unsupportedPlatform } from './errors.js';
import { createImageService } from './images/image-service.js';
import type { OpenImageStore, RuntimeImageStore } from './images/image-store.js';
import { loadRuntime, lockName } from './load-runtime.js';
import { checkHandlers } from './runtime/handlers.js';
import type { RuntimeHandlerOptions } from './runtime/runtime-handler.js';
import type { StartedRuntime } from './service/context.js';
import { createRuntimeService } from './service/runtime-service.js';
import { cdiFolders } from './spec/cdi/cdi-devices.js';

/** Options of {@link createOciRuntime}. */
export interface OciRuntimeOptions {
  /** Absolute path of the folder for the runtime's state and the writable layers of containers. One process at a time may use it. */
  root: string;
  /** Networks of pods: `createNodeCni` of `@nodeagent/cni/node`. The runtime starts and stops it. */
  cni: Cni;
  /**
   * Opens the image store: `openImageStore` of `@nodeagent/image-store`, or a function that calls it with further options, such as `registries`. It gets the
   * folder `images` of `root`. The runtime closes the store when it stops.
   */
  images: OpenImageStore;
  /** Path or name of the OCI runtime of pods that request no other. Default `crun`. */
  runtime?: string;
  /**
   * Further OCI runtimes by the names that pods request them by: `handler` of a RuntimeClass. Each runs a pod with all of its containers. Default:
   * none.
   */
  handlers?: Readonly<Record<string, RuntimeHandlerOptions>>;
  /**
   * Who creates the cgroups of containers, as RuntimeConfig reports it to the kubelet. `systemd` needs systemd as the init process, and the
   * programs systemd-run and busctl. Default `cgroupfs`.
   */
  cgroupDriver?: CgroupDriverName;
  /** Path or name of conmon. Default `conmon`. */
  conmon?: string;
  /** Folders of CDI specifications; a later one wins. Default `/etc/cdi` and `/var/run/cdi`. */
  cdiSpecDirs?: readonly string[];
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** Reported by the Version call. Default `nodeagent-oci`. */
  runtimeName?: string;
}

/**
 * A container runtime on an OCI runtime and conmon. The two services are those of the CRI; errors have the `CRI_*` codes of
 * {@link ociRuntimeErrorCodes}. Calls before the start and after the stop fail with CRI_FAILED_PRECONDITION, except those that only describe the
 * runtime and the image `host`.
 */
export interface OciRuntime extends Startable {
  readonly runtime: RuntimeService;
  readonly image: ImageService;
  /**
   * Locks the root folder, adopts the containers of the previous run, which conmon has kept running, and removes what that run left
   * incomplete. Idempotent.
   *
   * @throws NodeAgentError RuntimeRootLocked, UnsupportedPlatform
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Unlocks the root folder. Containers keep running; the next start adopts them. Idempotent. */
  stop(): Promise<void>;
  /** Stops every container: its stop signal, SIGKILL after `timeoutMs` (default 10000). Resolves when all have exited. */
  stopAll(timeoutMs?: number): Promise<void>;
}

const cgroupDrivers: readonly CgroupDriverName[] = ['cgroupfs', 'systemd'];
/** That of the kubelet's configuration. */
const defaultDriver: CgroupDriverName = 'cgroupfs';

/** Creates a runtime. Does no I/O before {@link OciRuntime.start}. */
export function createOciRuntime(options: OciRuntimeOptions): OciRuntime {
  const { root, cni, images, handlers = {}, cgroupDriver = defaultDriver } = options;
  if (!isAbsolute(root) || resolve(root) === '/') {
    throw invalidOption('root', 'the absolute path of a folder that only this runtime uses', root);
  }
  if (cni === undefined) throw invalidOption('cni', 'an object', cni);
  if (typeof images !== 'function') throw invalidOption('images', 'a function that opens an image store', images);
  checkHandlers(handlers);
  if (!cgroupDrivers.includes(cgroupDriver)) throw invalidOption('cgroupDriver', cgroupDrivers.join(' or '), cgroupDriver);
  return new Runtime(options);
}

class Runtime implements OciRuntime {
  readonly runtime: RuntimeService;
  readonly image: ImageService;
  readonly #options: OciRuntimeOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stamps: Stamps;
  #started: (StartedRuntime & { images: RuntimeImageStore; release(): Promise<void> }) | undefined;

  constructor(options: OciRuntimeOptions) {
    const { root, clock = systemClock, logger = silentLogger, runtimeName = 'nodeagent-oci', cgroupDriver = defaultDriver } = options;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#stamps = createStamps(clock);
    const { now } = this.#stamps;
    this.runtime = createRuntimeService({ clock, runtimeName, cgroupDriver, now, live: () => this.#started });
    this.image = createImageService({
      clock,
      host: createHostImageService({ clock, root, uid: 0, now }),
      now,
      store: () => this.#needStarted().images,
      writableLayers: async () => {
        const { containers, layerUsage } = this.#needStarted();
        return Promise.all(containers.list().map(layerUsage));
      },
    });
    const { start, stop } = createStartStop({ start: (signal) => this.#start(signal), stop: () => this.#stop() });
    this.start = start;
    this.stop = stop;
  }

  // The next three are properties, because callers destructure the runtime.
  readonly start: (signal?: AbortSignal) => Promise<void>;
  readonly stop: () => Promise<void>;

  readonly stopAll = async (timeoutMs = 10_000): Promise<void> => {
    const containers = this.#started?.containers;
    await Promise.all(containers?.list().map(({ id }) => containers.stop(id, timeoutMs)) ?? []);
  };

  #needStarted() {
    if (this.#started === undefined) throw notStarted();
    return this.#started;
  }

  async #start(signal?: AbortSignal): Promise<void> {
    if (this.#started !== undefined) return;
    requireLinuxRoot();
    const { root, cni, images: openImages, runtime = 'crun', conmon = 'conmon', cdiSpecDirs = cdiFolders } = this.#options;
    const { cgroupDriver = defaultDriver } = this.#options;
    if (cgroupDriver === 'systemd') requireSystemd();
    const handlers = { '': { path: runtime }, ...this.#options.handlers };
    mkdirSync(root, { recursive: true, mode: 0o711 });
    const unlock = await lockExclusively(root, lockName, (holder) => rootLocked(root, holder));
    const steps: Step[] = [unlock, () => cni.stop()];
    const release = () => runAll([...steps].reverse());
    try {
      await cni.start(signal);
      const images = await openImages({ root: join(root, 'images'), clock: this.#clock });
      steps.push(() => images.close());
      const ports = { clock: this.#clock, logger: this.#logger, stamps: this.#stamps };
      const loaded = await loadRuntime({ root, cni, images, handlers, conmon, cdiSpecDirs, cgroupDriver, ...ports }, signal);
      steps.push(loaded.close, () => loaded.streams.close(), loaded.events.close);
      this.#started = { ...loaded, images, release };
    } catch (error) {
      await release().catch((err: unknown) => this.#logger.error({ path: root, err }, 'cannot undo a start that failed'));
      throw error;
    }
  }

  async #stop(): Promise<void> {
    if (this.#started === undefined) return;
    const { release } = this.#started;
    this.#started = undefined;
    await release();
  }
}

type Step = () => void | Promise<void>;

/** Runs the steps in order, also after one that fails: its error is that of the call. */
async function runAll(steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** By sd_booted(3). */
function requireSystemd(): void {
  if (existsSync('/run/systemd/system')) return;
  throw unsupportedPlatform('needs systemd as the init process for the cgroup driver systemd', 'Use the driver cgroupfs.');
}

function requireLinuxRoot(): void {
  if (process.platform !== 'linux') throw unsupportedPlatform(`needs Linux; this is ${process.platform}`);
  if (process.getuid?.() === 0) return;
  throw unsupportedPlatform(
    `needs root; this process runs as user ${process.getuid?.()}`,
    'Run the agent as root, or on the process runtime.',
  );
}
