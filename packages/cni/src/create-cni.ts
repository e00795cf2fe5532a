import {
  type Clock,
  checkOptionNames,
  errorMessage,
  invalidOption,
  type Logger,
  NodeAgentError,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { CacheEntry } from './attach/cache-entry.js';
import { checkAttachment } from './attach/check-attachment.js';
import { createOperationQueue, type OperationQueue } from './attach/operation-queue.js';
import { type AttachmentKey, createResultCache, type ResultCache } from './attach/result-cache.js';
import type { Cni, CniOptions, NetworkStatus, PluginRunner } from './cni.js';
import { parseNetwork } from './config/parse-network.js';
import { cniErrorCodes } from './errors.js';
import type { NetworkSource } from './network-source.js';
import { type CallPlugin, createPluginCaller } from './plugin/plugin-caller.js';
import { type FailedCall, invalidReply } from './plugin/plugin-failure.js';
import { parseResult } from './result/parse-result.js';
import type { CniAttachment, CniCommand, CniNetwork, CniPluginConfig, CniResult } from './types.js';
import { cniVersions, isSince } from './versions.js';

/** Creates the manager of attachments. Does no I/O before `start`. `createNodeCni` of `@nodeagent/cni/node` has the ports of this machine. */
export function createCni(options: CniOptions): Cni {
  checkOptionNames<CniOptions>('createCni', options, {
    networks: true,
    plugins: true,
    results: true,
    attempts: true,
    timeoutMs: true,
    maxParallel: true,
    clock: true,
    logger: true,
  });
  for (const port of ['networks', 'plugins', 'results', 'attempts'] as const)
    if (options[port] === undefined) throw invalidOption(port, 'an object', undefined);
  requirePositive('timeoutMs', options.timeoutMs);
  requirePositive('maxParallel', options.maxParallel, { integer: true });
  return new PluginCni(options);
}

class PluginCni implements Cni {
  readonly #networks: NetworkSource;
  readonly #plugins: PluginRunner;
  readonly #call: CallPlugin;
  readonly #cache: ResultCache;
  readonly #queue: OperationQueue;
  readonly #logger: Logger;

  constructor(options: CniOptions) {
    const { networks, plugins, timeoutMs = 60_000, maxParallel = 16, logger = silentLogger } = options;
    const clock: Clock = options.clock ?? systemClock;
    this.#networks = networks;
    this.#plugins = plugins;
    this.#call = createPluginCaller({ runPlugin: plugins.run, clock, timeoutMs, logger });
    this.#cache = createResultCache(options, logger);
    this.#queue = createOperationQueue(maxParallel);
    this.#logger = logger;
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#networks.start(signal);
  }

  stop(): Promise<void> {
    return this.#networks.stop();
  }

  async add(attachment: CniAttachment, signal?: AbortSignal): Promise<CniResult> {
    const { containerId, netns, ifName, args, capabilityArgs = {} } = checkAttachment(attachment);
    const network = this.#networkOf(attachment.network);
    const entry: CacheEntry = { containerId, ifName, netns, network, args, capabilityArgs };
    return this.#queue.run(
      containerId,
      async () => {
        const existing = await this.#cache.find({ network: network.name, containerId, ifName });
        if (existing?.result !== undefined) throw alreadyAttached(entry);
        await this.#cache.begin(entry);
        try {
          const result = await this.#addAll(entry, signal);
          await this.#cache.save({ ...entry, result });
          return result;
        } catch (error) {
          await this.#undo(entry);
          throw error;
        }
      },
      signal,
    );
  }

  async #addAll(entry: CacheEntry, signal: AbortSignal | undefined): Promise<CniResult> {
    let result: CniResult | undefined;
    for (const plugin of entry.network.plugins) {
      const output = await this.#callFor(entry, 'ADD', plugin, result, signal);
      const call = { plugin: plugin.type, network: entry.network.name, command: 'ADD' } as const;
      result = replyOf(call, output, () => parseResult(output, entry.network.cniVersion));
    }
    return result as CniResult;
  }

  /** After a failed ADD. If DEL fails too, the entry of the attempt remains for a later DEL. */
  async #undo(entry: CacheEntry): Promise<void> {
    try {
      await this.#delAll(entry);
    } catch (error) {
      this.#logger.warn(
        { containerID: entry.containerId, network: entry.network.name, err: error },
        'failed to undo a failed CNI ADD; the next DEL tries again',
      );
    }
  }

  async del(attachment: CniAttachment, signal?: AbortSignal): Promise<void> {
    const { containerId, ifName, args, netns, capabilityArgs = {} } = checkAttachment(attachment);
    await this.#queue.run(
      containerId,
      async () => {
        const network = attachment.network ?? this.#networks.networks()[0]?.name;
        const cached = network === undefined ? undefined : await this.#cache.find({ network, containerId, ifName });
        const current = this.#networks.networks().find(({ name }) => name === network);
        const entry = cached ?? (current && { containerId, ifName, args, capabilityArgs, network: current });
        if (entry === undefined) return;
        await this.#delAll({ ...entry, netns }, signal);
      },
      signal,
    );
  }

  async #delAll(entry: CacheEntry, signal?: AbortSignal): Promise<void> {
    const { containerId, ifName, network, result } = entry;
    const prevResult = isSince(network.cniVersion, '0.4.0') ? result : undefined;
    for (const plugin of [...network.plugins].reverse()) await this.#callFor(entry, 'DEL', plugin, prevResult, signal);
    await this.#cache.remove({ network: network.name, containerId, ifName });
  }

  async check(attachment: CniAttachment, signal?: AbortSignal): Promise<void> {
    const { containerId, ifName, netns } = checkAttachment(attachment);
    const network = attachment.network ?? this.#networkOf(undefined).name;
    await this.#queue.run(
      containerId,
      async () => {
        const entry = await this.#cache.find({ network, containerId, ifName });
        if (entry?.result === undefined) throw checkUnavailable(network, `container "${containerId}" has no cached result of ADD`);
        if (entry.network.disableCheck) return;
        if (!isSince(entry.network.cniVersion, '0.4.0'))
          throw checkUnavailable(network, `CNI ${entry.network.cniVersion} does not have CHECK`);
        for (const plugin of entry.network.plugins) await this.#callFor({ ...entry, netns }, 'CHECK', plugin, entry.result, signal);
      },
      signal,
    );
  }

  async status(signal?: AbortSignal): Promise<NetworkStatus> {
    const [network] = this.#networks.networks();
    if (network === undefined) return notReady(this.#networks.notReadyMessage());
    if (!isSince(network.cniVersion, '1.1.0')) return { ready: true };
    try {
      for (const plugin of network.plugins) await this.#call({ command: 'STATUS', network, plugin }, signal);
      return { ready: true };
    } catch (error) {
      signal?.throwIfAborted();
      return notReady(errorMessage(error));
    }
  }

  async pluginVersions(plugin: string, signal?: AbortSignal): Promise<string[]> {
    const text = JSON.stringify({ cniVersion: cniVersions.at(-1), name: 'version', type: plugin });
    const network = parseNetwork({ name: plugin, text });
    const [config] = network.plugins as [CniPluginConfig];
    const output = await this.#call({ command: 'VERSION', network, plugin: config }, signal);
    return replyOf({ plugin, network: network.name, command: 'VERSION' }, output, () => supportedVersions(output));
  }

  async gc(isValid: (attachment: AttachmentKey) => boolean, signal?: AbortSignal): Promise<void> {
    await this.#queue.runAlone(async () => {
      const errors: unknown[] = [];
      const collect = (error: unknown) => void errors.push(error);
      const entries = (await this.#cache.list()).filter(({ network }) => !network.disableGC);
      for (const entry of entries) if (!isValid(keyOf(entry))) await this.#delAll(entry, signal).catch(collect);
      const kept = entries.filter((entry) => isValid(keyOf(entry)));
      for (const network of this.#networks.networks()) {
        if (network.disableGC || !isSince(network.cniVersion, '1.1.0')) continue;
        const validAttachments = kept
          .filter((entry) => entry.network.name === network.name)
          .map(({ containerId, ifName }) => ({ containerID: containerId, ifname: ifName }));
        for (const plugin of network.plugins)
          await this.#call({ command: 'GC', network, plugin, parts: { validAttachments } }, signal).catch(collect);
      }
      signal?.throwIfAborted();
      if (errors.length > 0) throw new AggregateError(errors, `CNI garbage collection failed: ${errors.map(errorMessage).join('; ')}`);
    }, signal);
  }

  async attachments(containerId?: string) {
    const entries = await this.#cache.list(containerId);
    return entries.map((entry) => ({ ...keyOf(entry), netns: entry.netns, ...(entry.result && { result: entry.result }) }));
  }

  async endOrphans(signal?: AbortSignal): Promise<void> {
    await this.#queue.runAlone(async () => {
      const ids = new Set((await this.#cache.list()).map(({ containerId }) => containerId));
      if (ids.size > 0) await this.#plugins.endOrphans(ids, signal);
    }, signal);
  }

  #callFor(entry: CacheEntry, command: CniCommand, plugin: CniPluginConfig, prevResult?: CniResult, signal?: AbortSignal) {
    const { network, capabilityArgs } = entry;
    const env = {
      CNI_CONTAINERID: entry.containerId,
      CNI_NETNS: entry.netns,
      CNI_IFNAME: entry.ifName,
      CNI_ARGS: entry.args.map(([name, value]) => `${name}=${value}`).join(';'),
    };
    return this.#call({ command, network, plugin, env, parts: { capabilityArgs, prevResult } }, signal);
  }

  #networkOf(name: string | undefined): CniNetwork {
    const networks = this.#networks.networks();
    const found = name === undefined ? networks[0] : networks.find((network) => network.name === name);
    if (found !== undefined) return found;
    const message = name === undefined ? this.#networks.notReadyMessage() : `no network configuration has the name "${name}"`;
    throw new NodeAgentError(cniErrorCodes.networkNotFound, message, { retryable: true, details: { network: name } });
  }
}

const keyOf = ({ network, containerId, ifName }: CacheEntry): AttachmentKey => ({ network: network.name, containerId, ifName });

const notReady = (message: string): NetworkStatus => ({ ready: false, reason: 'NetworkPluginNotReady', message });

/** A plugin whose reply is invalid has failed: the error names it. */
function replyOf<T>(call: FailedCall, reply: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw invalidReply(call, reply, error);
  }
}

function supportedVersions(reply: string): string[] {
  const value: unknown = JSON.parse(reply);
  const versions = isObject(value) ? value.supportedVersions : undefined;
  if (Array.isArray(versions) && versions.every((version) => typeof version === 'string')) return versions;
  throw new Error('the reply to VERSION has no supportedVersions');
}

function alreadyAttached({ containerId, network, ifName }: CacheEntry): NodeAgentError {
  return new NodeAgentError(
    cniErrorCodes.invalidAttachment,
    `container "${containerId}" is already attached to network "${network.name}" as ${ifName}`,
    { details: { field: 'containerId', value: containerId }, hint: 'Call del first.' },
  );
}

function checkUnavailable(network: string, problem: string): NodeAgentError {
  return new NodeAgentError(cniErrorCodes.checkUnavailable, `network "${network}" cannot be checked: ${problem}`, { details: { network } });
}
