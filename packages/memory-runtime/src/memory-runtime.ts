import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { ContainerMatch, Script } from './behaviour.js';
import { CallGate, CallRecord, type RecordedCall } from './calls.js';
import { type Fault, type FaultHandle, FaultPlan } from './faults.js';
import { createImageService } from './image-service.js';
import type { ImageBehaviour } from './image-store.js';
import { type MemoryContainer, type MemorySandbox, viewContainer, viewSandbox } from './inspection.js';
import type { CriMethod } from './methods.js';
import { type MemoryRuntimeOptions, withDefaults } from './options.js';
import { createRuntimeService } from './runtime-service.js';
import { servesPort } from './serves-port.js';
import { type RunningUsage, runningUsages } from './stats.js';
import { World } from './world.js';

/**
 * A container runtime that lives in memory and in a test's clock: CRI as a client sees it, with containers that behave as scripted
 * and calls that fail as told. Thousands of containers cost little: one that runs for ever has no timer.
 */
export interface MemoryRuntime {
  /** CRI's RuntimeService; every method answers at once unless a script or a fault takes time. */
  readonly runtime: RuntimeService;
  /** CRI's ImageService. Every image can be pulled unless {@link scriptImage} says otherwise. */
  readonly image: ImageService;
  /**
   * How containers behave that are created from now on, by container name or by a closer match. Of scripts that match, the one added
   * last counts. A list gives one behaviour for each attempt (CRI's metadata.attempt), the last one for all further attempts.
   */
  script(match: string | ContainerMatch, behaviour: Script): void;
  /** What an image is and how its pull goes; `busybox` means `docker.io/library/busybox:latest`. */
  scriptImage(name: string, behaviour: ImageBehaviour): void;
  /** Makes chosen calls go wrong. Of faults that match a call, the one set first hits it. */
  fault<M extends CriMethod>(fault: Fault<M>): FaultHandle;
  clearFaults(): void;
  /** The runtime is gone: calls in flight and all later ones fail with CRI_UNAVAILABLE. Containers live on, also their ends. */
  crash(): void;
  /** The runtime is back and knows what it knew. */
  restart(): void;
  /** Whether it serves. */
  readonly up: boolean;
  /** The machine lost power: every container has exited (255, `Unknown`), no sandbox is ready. The runtime serves. */
  reboot(): void;
  /** A container ends: default exit code 137, reason `Error`. */
  kill(containerId: string, code?: number, reason?: string): void;
  /** A sandbox is not ready any more; its containers stay as they are. */
  killSandbox(sandboxId: string): void;
  /** A condition of `Status`, such as NetworkReady. */
  setCondition(type: string, status: boolean, reason?: string, message?: string): void;
  /** The last calls, oldest first; see {@link MemoryRuntimeOptions.recordCalls}. */
  readonly calls: RecordedCall[];
  /** The recorded calls of one method. */
  callsOf(method: CriMethod): RecordedCall[];
  clearCalls(): void;
  /** What there is, oldest first, as plain snapshots; `name` picks by the container's name. */
  containers(name?: string): MemoryContainer[];
  sandboxes(): MemorySandbox[];
  /** Whether a running container of the pod with this address answers on the port, as its script says. */
  serves(address: string, port: number): boolean;
  /** What the running containers use now, as their scripts say; oldest first. Costs less than CRI's stats. */
  usages(): RunningUsage[];
  /** The lines a container has written. */
  logs(containerId: string): string[];
}

/** A container runtime in memory, see {@link MemoryRuntime}. Sets no timer until a script or a fault asks for one. */
export function createMemoryRuntime(options: MemoryRuntimeOptions): MemoryRuntime {
  const effective = withDefaults(options);
  const world = new World(effective);
  const faults = new FaultPlan();
  const record = new CallRecord(effective.recordCalls);
  const gate = new CallGate(effective.clock, record, faults, effective.onCall);

  return {
    runtime: createRuntimeService(world, gate),
    image: createImageService(world, gate),
    script: (match, behaviour) => world.scripts.add(match, behaviour),
    scriptImage: (name, behaviour) => world.images.script(name, behaviour),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    crash: () => gate.crash(),
    restart: () => gate.restart(),
    get up() {
      return gate.up;
    },
    reboot: () => world.reboot({ code: 255, reason: 'Unknown' }),
    kill: (containerId, code = 137, reason) => world.life.end(world.requireContainer(containerId), { code, reason }),
    killSandbox: (sandboxId) => world.setNotReady(world.requireSandbox(sandboxId)),
    setCondition: (type, status, reason = '', message = '') => world.setCondition({ type, status, reason, message }),
    get calls() {
      return record.calls;
    },
    callsOf: (method) => record.calls.filter((call) => call.method === method),
    clearCalls: () => record.clear(),
    containers: (name) =>
      [...world.containers.values()].map(viewContainer).filter((container) => name === undefined || container.name === name),
    sandboxes: () => [...world.sandboxes.values()].map(viewSandbox),
    serves: (address, port) =>
      [...world.sandboxes.values()].some(
        ({ ips, containers }) =>
          ips.includes(address) && [...containers].some((container) => servesPort(container, port, effective.clock.now())),
      ),
    usages: () => runningUsages(world.containers.values(), effective.clock.now()),
    logs: (containerId) => [...world.requireContainer(containerId).logs],
  };
}
