import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { ContainerMatch, Script } from './behaviour.js';
import { CallGate, CallRecord, type RecordedCall } from './calls.js';
import { connectTo } from './connections.js';
import { type Fault, type FaultHandle, FaultPlan } from './faults.js';
import type { ImageBehaviour } from './image-behaviour.js';
import { createImageService } from './image-service.js';
import { type MemoryContainer, type MemorySandbox, viewContainer, viewSandbox } from './inspection.js';
import type { LogEntry } from './log-entry.js';
import { MemoryNode } from './memory-node.js';
import type { CriMethod } from './methods.js';
import { type MemoryRuntimeOptions, withDefaults } from './options.js';
import type { AcceptedConnection } from './program/network.js';
import type { Program, ProgramImage } from './program/program.js';
import { createRuntimeService } from './runtime-service.js';
import { type RunningUsage, runningUsages } from './stats.js';

/**
 * A container runtime in memory, on a test's clock: serves CRI, with scripted containers and injected faults. Thousands of containers cost
 * little: one without a scripted exit has no timer.
 */
export interface MemoryRuntime {
  /** CRI's RuntimeService; every method responds at once unless a script or a fault delays it. */
  readonly runtime: RuntimeService;
  /** CRI's ImageService. Every image can be pulled, except those that {@link scriptImage} makes fail. */
  readonly image: ImageService;
  /**
   * Sets the behaviour of containers created from now on, by container name or a more specific match. If several scripts match, the last
   * added one is used. A list has one behaviour for each attempt (CRI's metadata.attempt), the last one also for all further attempts.
   */
  script(match: string | ContainerMatch, behaviour: Script): void;
  /** Sets the properties of an image and the behaviour of its pull; `busybox` means `docker.io/library/busybox:latest`. */
  scriptImage(name: string, behaviour: ImageBehaviour): void;
  /**
   * Runs a program in the containers of an image that are created from now on, unless a script matches the container. Without a tag `busybox` means
   * `busybox:latest`, as for {@link scriptImage}.
   */
  programImage(name: string, program: Program, image?: ProgramImage): void;
  /** Injects a fault into matching calls. If several faults match a call, the first injected one hits it. */
  fault<M extends CriMethod>(fault: Fault<M>): FaultHandle;
  clearFaults(): void;
  /** Crashes the runtime: calls in flight and all later ones fail with CRI_UNAVAILABLE. Containers keep running, and exit as scripted. */
  crash(): void;
  /** Restarts the runtime with its previous state. */
  restart(): void;
  /** Whether the runtime serves calls. */
  readonly up: boolean;
  /** Simulates a power failure: every container has exited (255, `Unknown`), no sandbox is ready. The runtime serves calls. */
  reboot(): void;
  /** Kills a container: default exit code 137, reason `Error`. */
  kill(containerId: string, code?: number, reason?: string): void;
  /** Makes a sandbox not ready; its containers do not change. */
  killSandbox(sandboxId: string): void;
  /** Sets a condition of `Status`, such as NetworkReady. */
  setCondition(type: string, status: boolean, reason?: string, message?: string): void;
  /** The last calls, oldest first; see {@link MemoryRuntimeOptions.recordCalls}. */
  readonly calls: RecordedCall[];
  /** The recorded calls of one method. */
  callsOf(method: CriMethod): RecordedCall[];
  clearCalls(): void;
  /** Snapshots of the containers, oldest first; `name` filters by container name. */
  containers(name?: string): MemoryContainer[];
  sandboxes(): MemorySandbox[];
  /**
   * Connects to a port of the pod with this IP address: of a program that listens, or of a scripted container that serves. `refused`: none does;
   * undefined: no pod has the address.
   */
  connect(address: string, port: number): AcceptedConnection | 'refused' | undefined;
  /** Whether {@link connect} finds a server. */
  serves(address: string, port: number): boolean;
  /** Current usage of the running containers by their scripts, oldest first. Cheaper than CRI's stats. */
  usages(): RunningUsage[];
  /** The lines a container has written. */
  logs(containerId: string): string[];
  /** The same with their times and streams. */
  logEntries(containerId: string): LogEntry[];
}

/** Creates a {@link MemoryRuntime}. Starts no timer until a script or a fault needs one. */
export function createMemoryRuntime(options: MemoryRuntimeOptions): MemoryRuntime {
  const effective = withDefaults(options);
  const node = new MemoryNode(effective);
  const faults = new FaultPlan();
  const record = new CallRecord(effective.recordCalls);
  const gate = new CallGate(effective.clock, record, faults, effective.onCall);
  const connect = (address: string, port: number) =>
    connectTo(node.sandboxes.values(), { address, port, hostIPs: effective.hostIPs, now: effective.clock.now() });

  return {
    runtime: createRuntimeService(node, gate),
    image: createImageService(node, gate),
    script: (match, behaviour) => node.scripts.add(match, behaviour),
    scriptImage: (name, behaviour) => node.images.script(name, behaviour),
    programImage: (name, program, image = {}) => node.images.setProgram(name, program, image),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    crash: () => gate.crash(),
    restart: () => gate.restart(),
    get up() {
      return gate.up;
    },
    reboot: () => node.reboot({ code: 255, reason: 'Unknown' }),
    kill: (containerId, code = 137, reason) => node.runner.end(node.requireContainer(containerId), { code, reason }),
    killSandbox: (sandboxId) => node.setNotReady(node.requireSandbox(sandboxId)),
    setCondition: (type, status, reason = '', message = '') => node.setCondition({ type, status, reason, message }),
    get calls() {
      return record.calls;
    },
    callsOf: (method) => record.calls.filter((call) => call.method === method),
    clearCalls: () => record.clear(),
    containers: (name) =>
      [...node.containers.values()].map(viewContainer).filter((container) => name === undefined || container.name === name),
    sandboxes: () => [...node.sandboxes.values()].map(viewSandbox),
    connect,
    serves: (address, port) => typeof connect(address, port) === 'object',
    usages: () => runningUsages(node.containers.values(), effective.clock.now()),
    logs: (containerId) => node.requireContainer(containerId).logs.map(({ text }) => text),
    logEntries: (containerId) => [...node.requireContainer(containerId).logs],
  };
}
