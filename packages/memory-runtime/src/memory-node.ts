import { frozenCopy, sha256 } from '@nodeagent/api/helpers';
import type { CreateContainerRequest, RunPodSandboxRequest, RuntimeCondition, StatusResponse } from '@nodeagent/cri-api';
import { ScriptBook, scriptedBehaviour } from './behaviour.js';
import { type ContainerExit, ContainerRunner } from './container-runner.js';
import { criError } from './errors.js';
import { MemoryEventHub } from './events.js';
import { MemoryImageStore } from './image-store.js';
import type { EffectiveRuntimeOptions } from './options.js';
import { localNetwork } from './program/local-network.js';
import { RecordStore } from './record-store.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { createStamps } from './time-stamps.js';
import { containerStatus, environmentOf, sandboxStatus } from './views.js';

/** The runtime's sandboxes, containers, images and conditions. It survives `crash()`, as containers do. */
export class MemoryNode {
  readonly options: EffectiveRuntimeOptions;
  readonly scripts = new ScriptBook();
  readonly images: MemoryImageStore;
  readonly events = new MemoryEventHub();
  readonly runner: ContainerRunner;
  readonly sandboxes = new RecordStore<SandboxRecord>();
  readonly containers = new RecordStore<ContainerRecord>();
  readonly stamp: () => bigint;
  readonly #conditions = new Map<string, RuntimeCondition>();
  /** Cached response to Status, replaced when a condition changes: agents request it every few seconds. */
  #status: StatusResponse | undefined;
  readonly #names = new Set<string>();
  #created = 0;
  #networks = 0;

  constructor(options: EffectiveRuntimeOptions) {
    this.options = options;
    this.images = new MemoryImageStore(options.images);
    this.stamp = createStamps(options.clock);
    this.runner = new ContainerRunner({
      node: { ...options, network: options.network ?? localNetwork(this.sandboxes, options) },
      stamp: this.stamp,
      onEvent: (type, container) => this.#publish(type, container.id, container.sandbox),
    });
    for (const type of ['RuntimeReady', 'NetworkReady']) this.setCondition({ type, status: true, reason: '', message: '' });
  }

  setCondition(condition: RuntimeCondition): void {
    this.#conditions.set(condition.type, condition);
    this.#status = undefined;
  }

  /** The response to Status. */
  status(): StatusResponse {
    this.#status ??= frozenCopy({
      status: { conditions: [...this.#conditions.values()] },
      info: {},
      runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } }, ...this.options.runtimeHandlers],
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
    });
    return this.#status;
  }

  createSandbox({ config = {}, runtimeHandler = '' }: RunPodSandboxRequest): SandboxRecord {
    const { name, uid, namespace, attempt = 0 } = config.metadata ?? {};
    if (!name || !uid || !namespace)
      throw criError('CRI_INVALID_ARGUMENT', 'sandbox config must include metadata with name, namespace and uid');
    if (runtimeHandler !== '' && !this.options.runtimeHandlers.some((handler) => handler.name === runtimeHandler)) {
      throw criError('CRI_UNKNOWN', `failed to get sandbox runtime: no runtime for "${runtimeHandler}" is configured`);
    }
    const hostNetwork = config.linux?.securityContext?.namespaceOptions?.network === 'NODE';
    const sandbox: SandboxRecord = {
      id: '',
      name: this.#reserve('sandbox', [name, namespace, uid, attempt].join('_')),
      config: frozenCopy(config),
      runtimeHandler,
      state: 'SANDBOX_READY',
      createdAt: this.stamp(),
      ips: hostNetwork ? [] : this.options.podIPs(this.#networks++),
      containers: new Set(),
      overhead: config.linux?.overhead,
      resources: config.linux?.resources,
      listed: undefined,
    };
    sandbox.id = this.#newId('sandbox');
    this.sandboxes.add(sandbox);
    this.#publish('CONTAINER_CREATED_EVENT', sandbox.id, sandbox);
    this.#publish('CONTAINER_STARTED_EVENT', sandbox.id, sandbox);
    return sandbox;
  }

  createContainer({ podSandboxId = '', config = {} }: CreateContainerRequest): ContainerRecord {
    const sandbox = this.requireSandbox(podSandboxId);
    if (sandbox.state !== 'SANDBOX_READY') throw criError('CRI_UNKNOWN', `sandbox container "${podSandboxId}" is not running`);
    const { name, attempt = 0 } = config.metadata ?? {};
    if (!name) throw criError('CRI_INVALID_ARGUMENT', 'container config must include metadata with a name');
    const { name: pod = '', namespace = '', uid = '' } = sandbox.config.metadata ?? {};
    const image = this.images.require(config.image?.image ?? '');
    const imageName = config.image?.userSpecifiedImage || config.image?.image || '';
    const subject = { name, attempt, image: imageName, pod, namespace, env: environmentOf(config) };
    const scripted = this.scripts.behaviourOf(subject);
    const program = scripted ? undefined : this.images.programOf(image);
    const container: ContainerRecord = {
      id: '',
      name: this.#reserve('container', [name, pod, namespace, uid, attempt].join('_')),
      sandbox,
      config: frozenCopy(config),
      image,
      behaviour: scripted ?? (program ? {} : scriptedBehaviour(this.options.behaviour, subject)),
      program,
      process: undefined,
      state: 'CONTAINER_CREATED',
      createdAt: this.stamp(),
      startedAt: 0n,
      finishedAt: 0n,
      startedMs: 0,
      exitCode: 0,
      reason: '',
      message: '',
      resources: config.linux?.resources,
      stopping: false,
      starting: false,
      timers: new Set(),
      waiters: new Set(),
      logs: [],
      listed: undefined,
    };
    container.id = this.#newId('container');
    sandbox.containers.add(container);
    this.containers.add(container);
    this.#publish('CONTAINER_CREATED_EVENT', container.id, container.sandbox);
    return container;
  }

  /** Kills its containers and removes its network; idempotent. */
  stopSandbox(sandbox: SandboxRecord): void {
    for (const container of sandbox.containers) if (container.state === 'CONTAINER_RUNNING') this.runner.kill(container);
    this.setNotReady(sandbox);
  }

  setNotReady(sandbox: SandboxRecord): void {
    if (sandbox.state === 'SANDBOX_NOTREADY') return;
    sandbox.state = 'SANDBOX_NOTREADY';
    sandbox.listed = undefined;
    this.#publish('CONTAINER_STOPPED_EVENT', sandbox.id, sandbox);
  }

  removeSandbox(sandbox: SandboxRecord): void {
    this.stopSandbox(sandbox);
    for (const container of [...sandbox.containers]) this.removeContainer(container);
    this.sandboxes.delete(sandbox);
    this.#names.delete(`sandbox ${sandbox.name}`);
    this.#publish('CONTAINER_DELETED_EVENT', sandbox.id, sandbox);
  }

  /** Kills the container first if it runs. */
  removeContainer(container: ContainerRecord): void {
    if (container.state === 'CONTAINER_RUNNING') this.runner.kill(container);
    for (const timer of container.timers) timer.cancel();
    container.sandbox.containers.delete(container);
    this.containers.delete(container);
    this.#names.delete(`container ${container.name}`);
    this.#publish('CONTAINER_DELETED_EVENT', container.id, container.sandbox);
  }

  /** Stops all containers and sandboxes at once, as a power failure does. */
  reboot(exit: ContainerExit): void {
    for (const container of this.containers.values()) if (container.state === 'CONTAINER_RUNNING') this.runner.end(container, exit);
    for (const sandbox of this.sandboxes.values()) this.setNotReady(sandbox);
  }

  requireSandbox(id: string): SandboxRecord {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) throw criError('CRI_NOT_FOUND', `an error occurred when try to find sandbox "${id}": not found`);
    return sandbox;
  }

  requireContainer(id: string): ContainerRecord {
    const container = this.containers.get(id);
    if (container === undefined) throw criError('CRI_NOT_FOUND', `an error occurred when try to find container "${id}": not found`);
    return container;
  }

  /** Refuses a second sandbox or container of the same name while the first exists. */
  #reserve(kind: 'sandbox' | 'container', name: string): string {
    const key = `${kind} ${name}`;
    if (this.#names.has(key)) throw criError('CRI_UNKNOWN', `failed to reserve ${kind} name "${name}": name "${name}" is reserved`);
    this.#names.add(key);
    return name;
  }

  /** 64 hexadecimal digits, as real ids. */
  #newId(kind: string): string {
    return sha256(`${this.options.seed} ${kind} ${this.#created++}`);
  }

  #publish(
    containerEventType: 'CONTAINER_CREATED_EVENT' | 'CONTAINER_STARTED_EVENT' | 'CONTAINER_STOPPED_EVENT' | 'CONTAINER_DELETED_EVENT',
    containerId: string,
    sandbox: SandboxRecord,
  ): void {
    if (!this.events.watched) return;
    this.events.publish({
      containerId,
      containerEventType,
      createdAt: this.stamp(),
      podSandboxStatus: sandboxStatus(sandbox),
      containersStatuses: [...sandbox.containers].map(containerStatus),
    });
  }
}
