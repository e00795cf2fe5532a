import { join } from 'node:path';
import {
  abandonAtDeadline,
  abortable,
  type Clock,
  invalidOption,
  type Logger,
  type Metrics,
  NodeAgentError,
  noMetrics,
  type Pod,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { type CredentialCache, createCredentialCache } from './credential-cache.js';
import { type PluginAnswer, parsePluginAnswer, pluginRequest } from './credential-provider-api.js';
import type { CredentialProviderPlugin } from './credential-provider-config.js';
import type { CredentialProvider, CredentialSource } from './credentials.js';
import { imageErrorCodes } from './errors.js';
import { createKeyring } from './keyring.js';
import { type PluginIdentity, pluginIdentity } from './plugin-service-account.js';
import { createPodTokens, type ServiceAccounts } from './pod-tokens.js';
import { registryUrlMatches } from './registry-url.js';
import { type RunPlugin, runPluginProcess } from './run-plugin.js';

/** Timeout of a plugin. */
const pluginTimeoutMs = 60_000;

export interface ExecCredentialProviderOptions {
  /** See {@link parseCredentialProviderConfig}. */
  plugins: readonly CredentialProviderPlugin[];
  /** The folder of the plugins' executables, an absolute path. */
  binDir: string;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now' | 'monotonic' | 'setTimeout'>;
  /** Required by plugins with `tokenAttributes`; without it they provide no credentials. */
  serviceAccounts?: ServiceAccounts;
  /** Runs a plugin. Default: as a process. */
  run?: RunPlugin;
  /** Aborts when the agent stops: kills the running plugins. Default: never. */
  signal?: AbortSignal;
  logger?: Logger;
  metrics?: Metrics;
}

interface Plugin extends CredentialProviderPlugin {
  cache: CredentialCache;
  /** Calls in progress, by image and owner. */
  inFlight: Map<string, Promise<PluginAnswer>>;
}

/**
 * Credentials from the kubelet's exec plugins. Each plugin whose `matchImages` match runs with a request on stdin; its response is cached
 * for the duration that it sets. Concurrent calls for one image share one run. A plugin that fails provides no credentials; its input
 * and output are never logged. Throws `InvalidOption` naming the field.
 * Kubernetes documentation, "Configure a kubelet image credential provider".
 */
export function createExecCredentialProvider(options: ExecCredentialProviderOptions): CredentialProvider {
  const { binDir, clock = systemClock, serviceAccounts, run = runPluginProcess, logger = silentLogger, metrics = noMetrics } = options;
  if (!binDir.startsWith('/')) throw invalidOption('binDir', 'an absolute path', binDir);
  const plugins = options.plugins.map((plugin): Plugin => ({ ...plugin, cache: createCredentialCache(clock), inFlight: new Map() }));
  const accounts = serviceAccounts && { accounts: serviceAccounts, tokens: createPodTokens(serviceAccounts, clock) };
  const labels = ['plugin_name'];
  const failures = metrics.counter({
    name: 'kubelet_credential_provider_plugin_errors_total',
    help: 'Runs of credential provider plugins that failed.',
    labels,
  });
  const durations = metrics.histogram({
    name: 'kubelet_credential_provider_plugin_duration_seconds',
    help: 'Duration of runs of credential provider plugins.',
    labels,
  });

  /** One run of the plugin, shared by its callers: the abort of a single caller does not kill it. */
  async function execute(plugin: Plugin, image: string, { owner, account }: PluginIdentity): Promise<PluginAnswer> {
    const { name, args, env } = plugin;
    const begin = clock.monotonic();
    try {
      const command = { path: join(binDir, name), args, env };
      const deadline = { clock, timeoutMs: pluginTimeoutMs, signal: options.signal, error: timedOut };
      const output = await abandonAtDeadline(deadline, (signal) => run(command, pluginRequest(plugin, image, account), signal));
      const answer = parsePluginAnswer(plugin, output);
      plugin.cache.put(image, owner, answer);
      return answer;
    } catch (error) {
      failures.inc({ plugin_name: name });
      throw error;
    } finally {
      durations.observe((clock.monotonic() - begin) / 1000, { plugin_name: name });
    }
  }

  function ask(plugin: Plugin, image: string, identity: PluginIdentity): Promise<PluginAnswer> {
    const kept = plugin.cache.get(image, identity.owner);
    if (kept) return Promise.resolve(kept);
    const key = JSON.stringify([image, identity.owner]);
    const running = plugin.inFlight.get(key) ?? execute(plugin, image, identity).finally(() => plugin.inFlight.delete(key));
    plugin.inFlight.set(key, running);
    return running;
  }

  async function loginsOf(plugin: Plugin, image: string, pod: Pod, signal: AbortSignal | undefined) {
    try {
      const identity = await pluginIdentity(pod, plugin.tokenAttributes, accounts, signal);
      if (identity === undefined) {
        logger.debug(
          { plugin: plugin.name, image },
          'credential provider plugin skipped: the pod lacks the required service account or annotations',
        );
        return undefined;
      }
      const { auth } = await abortable(ask(plugin, image, identity), signal);
      const source: CredentialSource | undefined = identity.account && { serviceAccount: identity.account.coordinates };
      return { auth, source };
    } catch (error) {
      signal?.throwIfAborted();
      logger.error({ plugin: plugin.name, image, err: error }, 'credential provider plugin failed');
      return undefined;
    }
  }

  return {
    async lookup(repository, pod, signal) {
      signal?.throwIfAborted();
      const asked = plugins.filter(({ matchImages }) => matchImages.some((pattern) => fits(pattern, repository)));
      const keyring = createKeyring();
      for (const found of await Promise.all(asked.map((plugin) => loginsOf(plugin, repository, pod, signal)))) {
        for (const [address, auth] of found?.auth ?? []) keyring.add(address, auth, found?.source);
      }
      return keyring.lookup(repository);
    },
  };
}

function fits(pattern: string, image: string): boolean {
  try {
    return registryUrlMatches(pattern, image);
  } catch {
    return false;
  }
}

function timedOut(): NodeAgentError {
  const message = `it did not respond within ${pluginTimeoutMs / 1000} s`;
  return new NodeAgentError(imageErrorCodes.credentialProviderFailed, message, { retryable: true });
}
