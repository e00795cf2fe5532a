import {
  type Clock,
  type CSINode,
  errorMessage,
  isApiReason,
  type Logger,
  type Node,
  NodeAgentError,
  type ObjectCreator,
  type ObjectDeleter,
  type ObjectGetter,
  type ObjectUpdater,
  type Random,
} from '@nodeagent/api';
import { csiErrorCodes } from './errors.js';
import {
  addDriverToCsiNode,
  addDriverToNode,
  type CsiNodeInfo,
  isCsiNodeOfAnother,
  newCsiNode,
  removeDriverFromCsiNode,
  removeDriverFromNode,
} from './node-objects.js';

/** The CSINodes of the API server. */
export type CsiNodes = ObjectGetter<CSINode> & ObjectCreator<CSINode> & ObjectUpdater<CSINode> & ObjectDeleter;

export interface NodeInfoOptions {
  nodeName: string;
  nodes: ObjectGetter<Node> & ObjectUpdater<Node>;
  csiNodes: CsiNodes;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** Writes the node's CSI drivers to the API server: the Node's annotation and labels, and the CSINode. */
export interface NodeInfoManager {
  /** Creates the CSINode if it is missing; waits until the API server responds. */
  initialize(signal: AbortSignal): Promise<void>;
  install(driver: string, info: CsiNodeInfo, signal: AbortSignal): Promise<void>;
  /** Writes only the CSINode, with the current volume limit. */
  update(driver: string, info: CsiNodeInfo, signal: AbortSignal): Promise<void>;
  uninstall(driver: string, signal: AbortSignal): Promise<void>;
}

/** Retries of a write with exponential back-off. */
interface Attempts {
  firstMs: number;
  factor: number;
  attempts: number;
  jitter: number;
}
const updateAttempts: Attempts = { firstMs: 10, factor: 5, attempts: 4, jitter: 0.1 };
const initAttempts: Attempts = { firstMs: 30, factor: 8, attempts: 6, jitter: 0 };
const apiServerPollMs = 1000;

export function createNodeInfoManager(options: NodeInfoOptions): NodeInfoManager {
  return new Manager(options);
}

class Manager implements NodeInfoManager {
  readonly #options: NodeInfoOptions;
  readonly #key: { name: string };

  constructor(options: NodeInfoOptions) {
    this.#options = options;
    this.#key = { name: options.nodeName };
  }

  async initialize(signal: AbortSignal): Promise<void> {
    const { csiNodes, clock, logger } = this.#options;
    let hasWarned = false;
    for (;;) {
      try {
        await csiNodes.get(this.#key, { signal });
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (isApiReason(error, 'NotFound')) break;
        if (!hasWarned) logger.warn({ err: error }, 'waiting for the API server to initialize the CSINode');
        hasWarned = true;
        await clock.sleep(apiServerPollMs, signal);
      }
    }
    await this.#repeat('failed to initialize CSINode', initAttempts, signal, async () => {
      await this.#ensureCsiNode(signal);
    });
  }

  async install(driver: string, info: CsiNodeInfo, signal: AbortSignal): Promise<void> {
    if (info.nodeId === '') {
      throw new NodeAgentError(csiErrorCodes.operationFailed, 'error adding CSI driver node info: driverNodeID must not be empty', {
        retryable: true,
      });
    }
    const what = 'error updating Node object with CSI driver node info';
    await this.#changeNode(what, signal, (node) => addDriverToNode(node, driver, info));
    await this.update(driver, info, signal);
  }

  update(driver: string, info: CsiNodeInfo, signal: AbortSignal): Promise<void> {
    return this.#changeCsiNode('error updating CSINode object with CSI driver node info', signal, (csiNode) =>
      addDriverToCsiNode(csiNode, driver, info),
    );
  }

  async uninstall(driver: string, signal: AbortSignal): Promise<void> {
    await this.#changeCsiNode('error uninstalling CSI driver from CSINode object', signal, (csiNode) =>
      removeDriverFromCsiNode(csiNode, driver),
    );
    await this.#changeNode('error removing CSI driver node info from Node object', signal, (node) => removeDriverFromNode(node, driver));
  }

  async #repeat(
    what: string,
    { firstMs, factor, attempts, jitter }: Attempts,
    signal: AbortSignal,
    write: () => Promise<void>,
  ): Promise<void> {
    const { clock, random } = this.#options;
    for (let attempt = 1, delay = firstMs; ; attempt++, delay *= factor) {
      try {
        return await write();
      } catch (cause) {
        signal.throwIfAborted();
        if (attempt === attempts) {
          throw new NodeAgentError(csiErrorCodes.operationFailed, `${what}: ${errorMessage(cause)}`, { retryable: true, cause });
        }
        await clock.sleep(delay * (1 + jitter * random()), signal);
      }
    }
  }

  #changeNode(what: string, signal: AbortSignal, change: (node: Node) => Node | undefined): Promise<void> {
    return this.#repeat(what, updateAttempts, signal, async () => {
      const { nodes } = this.#options;
      const changed = change(await nodes.get(this.#key, { signal }));
      if (changed !== undefined) await nodes.update(changed, { signal });
    });
  }

  /** Gets or creates the CSINode. Deletes the CSINode of a previous Node of the same name, and rejects. */
  async #ensureCsiNode(signal: AbortSignal): Promise<CSINode> {
    const { nodes, csiNodes } = this.#options;
    const node = await nodes.get(this.#key, { signal });
    const existing = await csiNodes.get(this.#key, { signal }).catch((error: unknown) => {
      if (isApiReason(error, 'NotFound')) return undefined;
      throw error;
    });
    if (existing === undefined) return csiNodes.create(newCsiNode(node), { signal });
    if (!isCsiNodeOfAnother(existing, node)) return existing;
    const { uid } = existing.metadata ?? {};
    await csiNodes.delete(this.#key, { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
    throw new NodeAgentError(csiErrorCodes.operationFailed, 'the CSINode belonged to a previous Node of this name and was deleted', {
      retryable: true,
    });
  }

  #changeCsiNode(what: string, signal: AbortSignal, change: (csiNode: CSINode) => CSINode | undefined): Promise<void> {
    return this.#repeat(what, updateAttempts, signal, async () => {
      const changed = change(await this.#ensureCsiNode(signal));
      if (changed !== undefined) await this.#options.csiNodes.update(changed, { signal });
    });
  }
}
