import { errorMessage } from '@nodeagent/api';
import type { ContainerConfig, ContainerEventType } from '@nodeagent/cri-api';
import { planContainer } from './container-config.js';
import { type ContainerRun, type RunPorts, runContainer } from './container-run.js';
import { failedPrecondition } from './errors.js';
import type { LaunchSpec } from './launch.js';
import type { ProcessRef } from './processes.js';
import type { ContainerRecord } from './records.js';
import { signalNumber } from './signals.js';
import type { Store } from './store.js';
import type { Identity } from './user.js';

/** Ports of a container. */
export interface ContainerPorts extends Omit<RunPorts, 'pipeFolder'> {
  store: Store;
  bootId: string;
  /** The runtime's user. */
  own: Identity;
  onEvent(type: ContainerEventType, record: ContainerRecord): void;
}

/** A running container. */
export interface RunningContainer {
  record: ContainerRecord;
  run: ContainerRun;
  /** How to start another process with its environment, folder and user, without input. Throws if the container has exited meanwhile. */
  launch(command: string[]): LaunchSpec;
  pipeFolder: string;
}

/** One container: its record, and its run from its start until it exits. */
export interface Container {
  readonly record: ContainerRecord;
  readonly run: ContainerRun | undefined;
  /** Rejects with CRI_FAILED_PRECONDITION unless the container was only created; `checkSandbox` throws if its sandbox is not ready. */
  start(checkSandbox: () => void): Promise<void>;
  /** Resolves when all its processes have exited. */
  stop(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Kills the container first if it runs. `forget` is called before the event. */
  remove(forget: () => void, signal?: AbortSignal): Promise<void>;
  /** Waits for a start in progress. Rejects with CRI_FAILED_PRECONDITION if the container does not run. */
  running(): Promise<RunningContainer>;
  setConfig(config: ContainerConfig): void;
  /** Detaches from its processes; its record does not change any more. */
  release(): Promise<void>;
}

export function createContainer(record: ContainerRecord, ports: ContainerPorts): Container {
  return new RecordedContainer(record, ports);
}

class RecordedContainer implements Container {
  readonly #ports: ContainerPorts;
  #record: ContainerRecord;
  #run: ContainerRun | undefined;
  #starting: Promise<void> | undefined;
  /** Resolves when the end of the run is recorded. */
  #finished: Promise<void> | undefined;
  #removal: Promise<void> | undefined;
  #isReleased = false;

  constructor(record: ContainerRecord, ports: ContainerPorts) {
    this.#record = record;
    this.#ports = ports;
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get run(): ContainerRun | undefined {
    return this.#run;
  }

  async start(checkSandbox: () => void): Promise<void> {
    const { id, state } = this.#record;
    if (this.#starting || state !== 'CONTAINER_CREATED') {
      throw failedPrecondition(`container "${id}" is in ${this.#starting ? 'starting' : state} state`);
    }
    if (this.#removal) throw failedPrecondition(`container "${id}" is being removed`);
    checkSandbox();
    this.#starting = this.#startRun().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async stop(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#starting?.catch(() => {});
    await this.#run?.stop(timeoutMs, signal);
    await this.#finished;
  }

  async remove(forget: () => void, signal?: AbortSignal): Promise<void> {
    this.#removal ??= this.#removeOnce(forget, signal).finally(() => {
      this.#removal = undefined;
    });
    await this.#removal;
  }

  async running(): Promise<RunningContainer> {
    await this.#starting?.catch(() => {});
    const record = this.#record;
    const run = this.#requireRun();
    const launch = (command: string[]) => {
      this.#requireRun(run);
      return { ...this.#launchSpec(record), command, stdin: false };
    };
    return { record, run, launch, pipeFolder: this.#ports.store.pipeFolder };
  }

  setConfig(config: ContainerConfig): void {
    this.#change({ config });
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#starting?.catch(() => {});
    this.#run?.release();
  }

  async #startRun(): Promise<void> {
    const { bootId, stamp, store, onEvent } = this.#ports;
    const record = this.#record;
    this.#change({ starting: true, bootId });
    try {
      const spec = {
        containerId: record.id,
        launch: this.#launchSpec(record),
        logPath: record.logPath,
        tty: record.config.tty ?? false,
        stopSignal: signalNumber(record.config.stopSignal),
        onStarted: (process: ProcessRef) => this.#change({ state: 'CONTAINER_RUNNING', starting: false, startedAt: stamp(), process }),
      };
      this.#run = await runContainer(spec, { ...this.#ports, pipeFolder: store.pipeFolder });
    } catch (error) {
      const failure = { exitCode: 128, reason: 'StartError', message: errorMessage(error) };
      this.#change({ state: 'CONTAINER_EXITED', starting: false, ...failure, finishedAt: stamp() });
      onEvent('CONTAINER_STOPPED_EVENT', this.#record);
      throw error;
    }
    onEvent('CONTAINER_STARTED_EVENT', this.#record);
    this.#finished = this.#finish(this.#run);
  }

  /** Records the end of the run. */
  async #finish(run: ContainerRun): Promise<void> {
    const { exitCode, finishedAt } = await run.ended;
    if (this.#isReleased) return;
    const { process: _process, ...record } = this.#record;
    this.#record = record;
    this.#change({ state: 'CONTAINER_EXITED', exitCode, finishedAt, reason: exitCode === 0 ? 'Completed' : 'Error' });
    this.#run = undefined;
    this.#ports.onEvent('CONTAINER_STOPPED_EVENT', this.#record);
  }

  async #removeOnce(forget: () => void, signal?: AbortSignal): Promise<void> {
    await this.stop(0, signal);
    this.#ports.store.containers.remove(this.#record.id);
    forget();
    this.#ports.onEvent('CONTAINER_DELETED_EVENT', this.#record);
  }

  /** The current run; throws if the container does not run, or if this is not its current run. */
  #requireRun(run = this.#run): ContainerRun {
    if (this.#run !== undefined && this.#run === run) return run;
    throw failedPrecondition(`container "${this.#record.id}" is in ${this.#record.state} state`);
  }

  #launchSpec({ config, user }: ContainerRecord): LaunchSpec {
    const { command, env, cwd, stdin } = planContainer(config);
    const { own } = this.#ports;
    const isOwn = user.uid === own.uid && user.gid === own.gid;
    return { command, env, cwd, stdin, ...(!isOwn && { user }) };
  }

  #change(changes: Partial<ContainerRecord>): void {
    this.#record = { ...this.#record, ...changes };
    try {
      this.#ports.store.containers.save(this.#record);
    } catch (error) {
      this.#ports.logger.error({ containerID: this.#record.id, err: error }, 'cannot save the state of a container');
    }
  }
}
