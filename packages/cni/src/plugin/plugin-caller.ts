import { type Clock, type Logger, withDeadline } from '@nodeagent/api';
import { type PluginInputParts, pluginInput } from '../config/plugin-input.js';
import type { CniCommand, CniNetwork, CniPluginConfig } from '../types.js';
import { pluginFailure, pluginTimeout } from './plugin-failure.js';
import type { RunCniPlugin } from './run-plugin.js';

/** One plugin's part of an operation. */
interface PluginRequest {
  command: CniCommand;
  network: CniNetwork;
  plugin: CniPluginConfig;
  /** The variables of the attachment. */
  env?: Readonly<Record<string, string>>;
  parts?: PluginInputParts;
}

/** Calls a plugin and resolves with what it wrote to stdout. Rejects with `CniPluginFailed`, `CniPluginTimedOut` or `CniPluginNotFound`. */
export type CallPlugin = (request: PluginRequest, signal: AbortSignal | undefined) => Promise<string>;

export function createPluginCaller(options: { runPlugin: RunCniPlugin; clock: Clock; timeoutMs: number; logger: Logger }): CallPlugin {
  const { runPlugin, clock, timeoutMs, logger } = options;
  return async ({ command, network, plugin, env = {}, parts }, signal) => {
    const call = { plugin: plugin.type, network: network.name, command };
    const request = { plugin: plugin.type, env: { CNI_COMMAND: command, ...env }, stdin: pluginInput(network, plugin, parts) };
    const error = () => pluginTimeout(call, timeoutMs);
    const output = await withDeadline({ clock, timeoutMs, error, signal }, (own) => runPlugin(request, own));
    if (output.stderr !== '') logger.debug({ plugin: plugin.type, network: network.name, log: output.stderr }, 'the CNI plugin logged');
    if (output.exitCode !== 0 || output.isTooLong) throw pluginFailure(call, output);
    return output.stdout;
  };
}
