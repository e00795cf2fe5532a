import {
  type Clock,
  createRunLoop,
  invalidOption,
  type Logger,
  type Node,
  noEvents,
  type Random,
  type RunLoop,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { createFactsGatherer, type FactsGatherer } from './gather-facts.js';
import { jitteredLoop } from './jittered-loop.js';
import { createNodeCalls, type NodeCalls } from './node-calls.js';
import { createNodeEvents } from './node-events.js';
import { createNodeReporter, type NodeReporter } from './node-reporter.js';
import type { NodeStatusManagerOptions } from './options.js';
import { createSerial } from './serial.js';
import { type CompleteSettings, withDefaults } from './settings.js';

/** Registers the node and reports its status until it is stopped. */
export interface NodeStatusManager extends Startable {
  /** Rejects with `InvalidNodeAllocatable` if reservations exceed the machine's capacity. Idempotent. */
  start(signal?: AbortSignal): Promise<void>;
  /** Whether the Node is registered. */
  readonly registered: boolean;
  /**
   * Registers the node if needed, and patches its status if it is due; runs are serialized. Rejects with `NodeStatusUpdateFailed` after
   * five failed attempts. For callers that cannot wait for the next period, such as a shutdown.
   */
  syncNodeStatus(signal?: AbortSignal): Promise<void>;
  /** The Node as last observed, or as it will be registered. */
  getNode(signal?: AbortSignal): Promise<Node>;
  /** The Node as the API server has it now; rejects without one. */
  fetchNode(signal?: AbortSignal): Promise<Node>;
}

const fastPeriodMs = 100;
/** Sync period while the node has no addresses, because the API server needs them to reach it. */
const missingAddressPeriodMs = 1_000;
/** Time after the start in which a node that is not ready is checked often. */
const readyGracePeriodMs = 120_000;

/**
 * Keeps the Node object current: Kubernetes documentation, "Nodes", "Node Status". Failures are logged and retried forever. Throws
 * `InvalidOption`.
 */
export function createNodeStatusManager(options: NodeStatusManagerOptions): NodeStatusManager {
  if (!options.nodeName) throw invalidOption('nodeName', 'a name', options.nodeName);
  if (!options.architecture) throw invalidOption('architecture', 'a name such as amd64', options.architecture);
  return new NodeStatusReports(options);
}

class NodeStatusReports implements NodeStatusManager {
  readonly #options: NodeStatusManagerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #settings: CompleteSettings;
  readonly #gatherer: FactsGatherer;
  readonly #calls: NodeCalls;
  readonly #reporter: NodeReporter;
  readonly #loop: RunLoop;
  readonly #serial = createSerial();
  #stops = 0;

  constructor(options: NodeStatusManagerOptions) {
    const { clock = systemClock, random = systemRandom, recorder = noEvents, logger = silentLogger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#logger = logger;
    this.#settings = withDefaults(options.settings);
    this.#gatherer = createFactsGatherer(options, this.#settings, logger);
    this.#calls = createNodeCalls(options, { clock, timeoutMs: this.#settings.callTimeoutMs });
    const events = createNodeEvents(recorder, options.nodeName);
    this.#reporter = createNodeReporter({
      ...options,
      calls: this.#calls,
      gatherer: this.#gatherer,
      events,
      refreshRuntime: (signal) => this.#refreshRuntime(signal),
      settings: this.#settings,
      clock,
      random,
      logger,
    });
    this.#loop = createRunLoop(async (signal) => {
      this.#reporter.reset();
      events.emit([{ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' }]);
      if (options.nodes !== undefined) await Promise.allSettled([this.#slowLoop(signal), this.#fastLoop(signal)]);
    });
  }

  get registered(): boolean {
    return this.#reporter.registered;
  }

  async start(signal = new AbortController().signal): Promise<void> {
    const before = this.#stops;
    await this.#gatherer.checkReservation(signal);
    if (this.#stops === before) await this.#loop.start(signal);
  }

  stop(): Promise<void> {
    this.#stops++;
    return this.#loop.stop();
  }

  async syncNodeStatus(signal = new AbortController().signal): Promise<void> {
    if (this.#options.nodes !== undefined) await this.#sync(signal);
  }

  async getNode(signal = new AbortController().signal): Promise<Node> {
    return this.#reporter.node ?? (await this.#reporter.initialNode(signal));
  }

  fetchNode(signal?: AbortSignal): Promise<Node> {
    return this.#calls.get(signal);
  }

  #sync(signal: AbortSignal): Promise<void> {
    return this.#serial(() => this.#reporter.sync(signal));
  }

  async #refreshRuntime(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.runtime.refresh?.(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#logger.warn({ err: error }, "cannot refresh the runtime's status");
    }
  }

  /** Reports that the node is ready as soon as it is. */
  async #fastLoop(signal: AbortSignal): Promise<void> {
    const end = this.#clock.monotonic() + readyGracePeriodMs;
    while (this.#clock.monotonic() < end) {
      try {
        if (await this.#serial(() => this.#reporter.reportReady(signal))) return;
      } catch (error) {
        signal.throwIfAborted();
        this.#logger.warn({ err: error }, 'cannot check whether the node is ready');
      }
      await this.#clock.sleep(fastPeriodMs, signal);
    }
    this.#logger.error('the node did not become ready in time after the start');
  }

  async #slowLoop(signal: AbortSignal): Promise<void> {
    await this.#refreshRuntime(signal);
    const work = async () => {
      try {
        await this.#sync(signal);
      } catch (error) {
        if (!signal.aborted) this.#logger.error({ err: error }, 'unable to update the node status');
      }
    };
    const { nodeStatusUpdateFrequencyMs: usual } = this.#settings;
    const periodMs = () => (this.#gatherer.hasAddresses() ? usual : Math.min(usual, missingAddressPeriodMs));
    await jitteredLoop(work, { clock: this.#clock, random: this.#random, periodMs, signal });
  }
}
