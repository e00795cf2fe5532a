import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, errorMessage, type Logger, settlesWithin } from '@nodeagent/api';
import type { ContainerConfig, ContainerEventType, ContainerState } from '@nodeagent/cri-api';
import { failedPrecondition, unknownError } from '../errors.js';
import type { RunProgram } from '../programs.js';
import type { RuntimeHandlers } from '../runtime/handlers.js';
import type { OciProgram } from '../runtime/oci-program.js';
import { isRunning, signalProcess } from '../state/process-ref.js';
import type { RecordFolder } from '../state/record-folder.js';
import type { ContainerRecord } from '../state/records.js';
import { removeFolder } from '../state/remove-folder.js';
import { type ExitStatus, lostExit, readExitStatus, startError } from './exit-status.js';
import type { RootFileSystems } from './root-file-systems.js';

/** Ports of a container. */
export interface ContainerPorts {
  folder: RecordFolder<ContainerRecord>;
  exitDir: string;
  handlers: RuntimeHandlers;
  rootFileSystems: Pick<RootFileSystems, 'remove'>;
  /** As `RemoveCgroup` does. */
  removeCgroup(record: ContainerRecord): Promise<void>;
  run: RunProgram;
  clock: Clock;
  logger: Logger;
  /** Nanoseconds since 1970, later than all before. */
  stamp(): bigint;
  onEvent(type: ContainerEventType, record: ContainerRecord): void;
}

/** One container: its record, and its steps one after the other. */
export interface Container {
  readonly record: ContainerRecord;
  readonly state: ContainerState;
  /** Rejects with CRI_FAILED_PRECONDITION unless the container was only created; `checkSandbox` throws if its sandbox is not ready. */
  start(checkSandbox: () => void): Promise<void>;
  /** Sends the stop signal, SIGKILL after the timeout, and waits for the exit. Does nothing if the container has exited. */
  stop(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Kills the container first if it runs. `forget` is called before the event. Idempotent. */
  remove(forget: () => void): Promise<void>;
  /** Adopts what has happened: conmon has written the exit code, or does not run any more. */
  sync(): Promise<void>;
  setConfig(config: ContainerConfig): void;
  /** Resolves when the container has exited. */
  readonly exited: Promise<void>;
}

/** After SIGKILL: conmon writes the exit code once the kernel has ended the process. */
const killWaitMs = 10_000;
const sigkill = 9;

export function createContainer(record: ContainerRecord, ports: ContainerPorts): Container {
  return new RecordedContainer(record, ports);
}

export const stateOf = ({ step }: ContainerRecord): ContainerState =>
  step === 'exited' ? 'CONTAINER_EXITED' : step === 'started' ? 'CONTAINER_RUNNING' : 'CONTAINER_CREATED';

class RecordedContainer implements Container {
  readonly #ports: ContainerPorts;
  #record: ContainerRecord;
  /** The last step: they run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #hasExited: Promise<void>;
  #setExited = () => {};
  #isRemoved = false;
  #isReleased = false;

  constructor(record: ContainerRecord, ports: ContainerPorts) {
    this.#record = record;
    this.#ports = ports;
    this.#hasExited = new Promise((resolve) => {
      this.#setExited = resolve;
    });
    if (record.step === 'exited') this.#setExited();
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get exited(): Promise<void> {
    return this.#hasExited;
  }

  get state(): ContainerState {
    return stateOf(this.#record);
  }

  get #oci(): OciProgram {
    return this.#ports.handlers.of(this.#record.runtimeHandler).oci;
  }

  start(checkSandbox: () => void): Promise<void> {
    return this.#inTurn(async () => {
      const { id, step, refusal } = this.#record;
      if (this.#isRemoved) throw failedPrecondition(`container "${id}" is being removed`);
      if (step !== 'created') throw failedPrecondition(`container "${id}" is in ${this.state} state`);
      checkSandbox();
      this.#change({ step: 'starting' });
      try {
        if (refusal !== undefined) throw unknownError(refusal);
        await this.#oci.start(id);
      } catch (error) {
        await this.#release();
        await this.#finish(startError(errorMessage(error), this.#ports.stamp()));
        throw error;
      }
      this.#change({ step: 'started', startedAt: this.#ports.stamp() });
      this.#ports.onEvent('CONTAINER_STARTED_EVENT', this.#record);
      // A short program may have ended meanwhile.
      await this.#adoptExit();
    });
  }

  async stop(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    // A start in progress decides which signal there is to send.
    await this.#turn;
    const { step, stopSignal } = this.#record;
    if (step === 'exited') return;
    const { clock } = this.#ports;
    if (step === 'started' && timeoutMs > 0) {
      await this.#signal(stopSignal);
      if (await settlesWithin(this.#hasExited, { clock, timeoutMs, signal })) return;
    }
    await this.#kill();
  }

  async remove(forget: () => void): Promise<void> {
    await this.#turn;
    if (this.#isRemoved) return;
    await this.#kill();
    await this.#inTurn(async () => {
      if (this.#isRemoved) return;
      const { folder, exitDir, rootFileSystems, run, onEvent } = this.#ports;
      const { id } = this.#record;
      await this.#release();
      await rootFileSystems.remove(this.#record);
      await removeFolder(folder.pathOf(id), run);
      rmSync(join(exitDir, id), { force: true });
      this.#isRemoved = true;
      forget();
      onEvent('CONTAINER_DELETED_EVENT', this.#record);
    });
  }

  async sync(): Promise<void> {
    const { step, monitor } = this.#record;
    if (step === 'exited' || (monitor !== undefined && isRunning(monitor) && !this.#readExit())) return;
    await this.#inTurn(() => this.#adoptExit());
  }

  setConfig(config: ContainerConfig): void {
    this.#change({ config });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Kills all processes of the container and waits until its exit is recorded. */
  async #kill(): Promise<void> {
    if (this.#isOver()) return;
    const { clock, stamp } = this.#ports;
    const { id, step, refusal } = this.#record;
    if (step === 'created' && refusal !== undefined) return this.#inTurn(() => this.#finish(startError(refusal, stamp())));
    await this.#signal(sigkill);
    if (await settlesWithin(this.#hasExited, { clock, timeoutMs: killWaitMs })) return;
    await this.sync();
    if (!this.#isOver()) throw failedPrecondition(`container "${id}" does not exit after SIGKILL`, { retryable: true });
  }

  /** By the kernel if the first process is one of this machine, which saves a program. */
  async #signal(signal: number): Promise<void> {
    const { id, runtimeHandler, process: first } = this.#record;
    const { oci, hasNativeProcesses } = this.#ports.handlers.of(runtimeHandler);
    if (first !== undefined && hasNativeProcesses) signalProcess(first, signal);
    else await oci.kill(id, String(signal));
  }

  /** Removes it from the OCI runtime, once: the program takes as long for a container that it does not know. */
  async #release(): Promise<void> {
    if (this.#isReleased) return;
    await this.#oci.remove(this.#record.id);
    await this.#ports.removeCgroup(this.#record);
    this.#isReleased = true;
  }

  #isOver(): boolean {
    return this.#record.step === 'exited';
  }

  #readExit(): ExitStatus | undefined {
    const { exitDir, folder } = this.#ports;
    return readExitStatus(exitDir, this.#record.id, folder.pathOf(this.#record.id));
  }

  async #adoptExit(): Promise<void> {
    const { id, step, monitor, process, refusal } = this.#record;
    if (step === 'exited' || step === 'creating') return;
    // Nothing runs that could have exited.
    if (step === 'created' && refusal !== undefined) return;
    // In this order: conmon writes the exit code before it ends.
    const isMonitored = monitor !== undefined && isRunning(monitor);
    const status = this.#readExit();
    if (status !== undefined) return this.#end(status);
    if (isMonitored) return;
    const wasRunning = process !== undefined && isRunning(process);
    this.#ports.logger.warn({ containerID: id, wasRunning }, 'conmon was killed: the exit code of the container is unknown');
    await this.#end(lostExit('conmon, which monitors the container, was killed', this.#ports.stamp()));
  }

  async #end(status: ExitStatus): Promise<void> {
    const { id } = this.#record;
    try {
      // Removes the cgroup, and with it what the first process has left in a shared process namespace.
      await this.#release();
    } catch (err) {
      this.#ports.logger.error({ containerID: id, err }, 'cannot remove an exited container from the OCI runtime');
    }
    await this.#finish(status);
  }

  async #finish(status: ExitStatus): Promise<void> {
    const { process: _process, monitor: _monitor, ...record } = this.#record;
    this.#record = record;
    this.#change({ step: 'exited', ...status });
    this.#setExited();
    this.#ports.onEvent('CONTAINER_STOPPED_EVENT', this.#record);
  }

  #change(changes: Partial<ContainerRecord>): void {
    this.#record = { ...this.#record, ...changes };
    try {
      this.#ports.folder.save(this.#record);
    } catch (error) {
      this.#ports.logger.error({ containerID: this.#record.id, err: error }, 'cannot save the state of a container');
    }
  }
}
