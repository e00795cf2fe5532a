import { type Clock, type Informer, isApiReason, type Logger, type Node, NodeAgentError, type Random } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import { initialNode, withPlatformLabels } from '../status/initial-node.js';
import { decideNodeReport } from '../status/report.js';
import { nodeStatusChanged } from '../status/semantic-equal.js';
import { type NodeEvent, setNodeStatus } from '../status/set-node-status.js';
import { nodeStatusPatch } from '../status/status-patch.js';
import type { FactsGatherer } from './gather-facts.js';
import type { NodeCalls } from './node-calls.js';
import type { NodeEvents } from './node-events.js';
import type { NodeStatusManagerOptions } from './options.js';
import { retryRegistration, tryRegister } from './register.js';
import type { CompleteSettings } from './settings.js';

/** Registers the Node and reports its status. One call at a time. */
export interface NodeReporter {
  /** Whether the Node is registered. */
  readonly registered: boolean;
  /** The Node as last observed; undefined before. */
  readonly node: Node | undefined;
  /** The Node as it is registered. */
  initialNode(signal: AbortSignal): Promise<Node>;
  /** Registers the Node if needed, and patches its status if it is due. Rejects with `NodeStatusUpdateFailed` after five failed attempts. */
  sync(signal: AbortSignal): Promise<void>;
  /** Patches the status once the node becomes ready; true if it is reported as ready. */
  reportReady(signal: AbortSignal): Promise<boolean>;
  /** Registers again, and reports in any case, at the next sync. */
  reset(): void;
}

export interface NodeReporterOptions
  extends Pick<
    NodeStatusManagerOptions,
    'nodeName' | 'informer' | 'volumes' | 'devices' | 'updatePodCIDR' | 'onRegistered' | 'onRepeatedHeartbeatFailure'
  > {
  calls: NodeCalls;
  gatherer: FactsGatherer;
  events: NodeEvents;
  /** Refreshes the runtime's status. */
  refreshRuntime(signal: AbortSignal): Promise<void>;
  settings: CompleteSettings;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** A Node with its current status, and the events to emit after its patch. */
interface UpdatedNode {
  node: Node;
  events: readonly NodeEvent[];
}

const maxUpdateTries = 5;

export function createNodeReporter(options: NodeReporterOptions): NodeReporter {
  return new Reporter(options);
}

class Reporter implements NodeReporter {
  readonly #options: NodeReporterOptions;
  readonly #informer: Pick<Informer<Node>, 'get'> | undefined;
  #registered = false;
  #node: Node | undefined;
  /** When the status was last patched, on the monotonic clock. */
  #reportedAt: number | undefined;
  /** Jitter of the next report in milliseconds. */
  #delay = 0;
  /** The pod CIDRs that the runtime has received. */
  #podCidrs = '';

  constructor(options: NodeReporterOptions) {
    this.#options = options;
    this.#informer = options.informer;
  }

  get registered(): boolean {
    return this.#registered;
  }

  get node(): Node | undefined {
    return this.#informer?.get({ name: this.#options.nodeName }) ?? this.#node;
  }

  async initialNode(signal: AbortSignal): Promise<Node> {
    return (await this.#buildNode(signal)).node;
  }

  reset(): void {
    this.#registered = false;
    this.#reportedAt = undefined;
  }

  async sync(signal: AbortSignal): Promise<void> {
    const isNew = this.#options.settings.registerNode && !this.#registered;
    await this.#update(signal, isNew ? await this.#register(signal) : undefined);
  }

  async reportReady(signal: AbortSignal): Promise<boolean> {
    const { nodeName, refreshRuntime, logger } = this.#options;
    const original = this.#informer === undefined ? this.#node : this.#informer.get({ name: nodeName });
    const before = original && readyStatus(original);
    if (original === undefined || before === undefined) return false;
    if (before === 'True') return true;
    await refreshRuntime(signal);
    const { changed, ...updated } = await this.#updatedNode(original, signal);
    if (!changed || readyStatus(updated.node) === 'False') return false;
    try {
      await this.#report(original, updated, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error }, 'cannot report that the node is ready, retrying with a full sync');
      await this.#update(signal).catch(() => {});
    }
    return true;
  }

  #buildNode(signal: AbortSignal): Promise<UpdatedNode> {
    const { nodeName, gatherer } = this.#options;
    const { nodeLabels: labels, registerWithTaints: taints, ...settings } = this.#options.settings;
    const input = { nodeName, ...gatherer.platform, ...settings, ...(labels && { labels }), ...(taints && { taints }) };
    return this.#withStatus(initialNode(input), signal);
  }

  async #withStatus(node: Node, signal: AbortSignal): Promise<UpdatedNode> {
    const { gatherer, clock } = this.#options;
    return setNodeStatus(gatherer.annotate(node), await gatherer.facts(node, signal), clock.now());
  }

  /** Resolves to the Node as the API server has it. */
  async #register(signal: AbortSignal): Promise<Node> {
    const { nodeName, calls, clock, devices, events, logger, onRegistered } = this.#options;
    const attempt = async () => {
      const built = await this.#buildNode(signal);
      const resetExtendedResources = devices?.shouldResetExtendedResources() ?? false;
      const known = await tryRegister(built.node, { calls, logger, resetExtendedResources }, signal);
      if (known !== undefined) events.emit(built.events);
      return known;
    };
    const node = await retryRegistration(attempt, clock, signal);
    this.#node = node;
    this.#registered = true;
    logger.info({ node: nodeName }, 'node registered');
    onRegistered?.();
    return node;
  }

  async #updatedNode(original: Node, signal: AbortSignal): Promise<UpdatedNode & { changed: boolean }> {
    const { gatherer, events } = this.#options;
    const cidrs = original.spec?.podCIDRs?.join(',') ?? '';
    const hasNewCidrs = cidrs !== '' && cidrs !== this.#podCidrs && (await this.#updatePodCidrs(cidrs, signal));
    const labelled = withPlatformLabels(original, gatherer.platform);
    const updated = await this.#withStatus(labelled, signal);
    events.emitSchedulable(original.spec?.unschedulable ?? false);
    const changed = hasNewCidrs || labelled !== original || nodeStatusChanged(original.status, updated.node.status);
    return { ...updated, changed };
  }

  /** Whether the runtime received them. */
  async #updatePodCidrs(cidrs: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.updatePodCIDR?.(cidrs, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.logger.error({ cidrs, err: error }, "cannot update the runtime's pod CIDRs");
      return false;
    }
    this.#podCidrs = cidrs;
    return true;
  }

  async #update(signal: AbortSignal, justRegistered?: Node): Promise<void> {
    const { settings, logger, onRepeatedHeartbeatFailure } = this.#options;
    let cause: unknown;
    for (let attempt = 0; attempt < maxUpdateTries; attempt++) {
      try {
        return await this.#tryUpdate(attempt, justRegistered, signal);
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        logger.warn({ attempt, err: error }, 'cannot update the node status');
        if (isApiReason(error, 'NotFound') && settings.registerDeletedNode) this.#registered = false;
        if (attempt > 0) onRepeatedHeartbeatFailure?.();
      }
    }
    throw new NodeAgentError(nodeStatusErrorCodes.statusUpdateFailed, 'update node status exceeds retry count', { retryable: true, cause });
  }

  async #tryUpdate(attempt: number, justRegistered: Node | undefined, signal: AbortSignal): Promise<void> {
    const { settings, clock, random, volumes } = this.#options;
    const original = await this.#readNode(attempt, justRegistered, signal);
    this.#node = original;
    const { changed, ...updated } = await this.#updatedNode(original, signal);
    const input = {
      changed,
      delay: this.#delay,
      reportFrequency: settings.nodeStatusReportFrequencyMs,
      ...(this.#reportedAt !== undefined && { lastReport: this.#reportedAt }),
    };
    const decision = decideNodeReport(input, clock.monotonic(), random());
    this.#delay = decision.delay;
    const reported = decision.report ? await this.#report(original, updated, signal) : updated.node;
    volumes?.markVolumesAsReportedInUse(reported.status?.volumesInUse ?? []);
  }

  /**
   * The first attempt reads the cheapest source; a conflict shows that it was outdated. A Node that was just registered is used as it is,
   * because the informer receives it later.
   */
  async #readNode(attempt: number, justRegistered: Node | undefined, signal: AbortSignal): Promise<Node> {
    const { nodeName, calls } = this.#options;
    if (attempt === 0 && justRegistered !== undefined) return justRegistered;
    if (attempt > 0) return calls.get(signal);
    if (this.#informer === undefined) return calls.get(signal, 'cached');
    const cached = this.#informer.get({ name: nodeName });
    if (cached !== undefined) return cached;
    throw new NodeAgentError(nodeStatusErrorCodes.nodeUnknown, `node "${nodeName}" not found`, { retryable: true });
  }

  /** Resolves to the Node as the API server has it. */
  async #report(original: Node, { node, events }: UpdatedNode, signal: AbortSignal): Promise<Node> {
    const { calls, clock } = this.#options;
    const patch = nodeStatusPatch(original, node);
    const answer = patch === undefined ? node : await calls.patchStatus(patch, signal);
    this.#node = answer;
    this.#reportedAt = clock.monotonic();
    this.#options.events.emit(events);
    return answer;
  }
}

function readyStatus({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
