import { errorMessage } from '@nodeagent/api';
import type { PluginHandler, RegistrationClient } from './plugin-handler.js';
import { registrationError } from './registration-client.js';

/** A plugin whose handler has accepted it. */
export interface RegisteredPlugin {
  socketPath: string;
  type: string;
  name: string;
  endpoint: string;
}

export interface RegisterOptions {
  client: RegistrationClient;
  handlers: ReadonlyMap<string, PluginHandler>;
  /** Called before the handler registers the plugin: from then on it must be unregistered when its socket is removed. */
  added(plugin: RegisteredPlugin): void;
  removed(): void;
  signal: AbortSignal;
}

/** Calls GetInfo, registers the plugin with its handler and notifies it. On failure it notifies the plugin of the error and rejects with it. */
export async function registerPlugin(socketPath: string, { client, handlers, added, removed, signal }: RegisterOptions): Promise<void> {
  const { type, name, supportedVersions, ...info } = await client.getInfo(socketPath, signal);
  const endpoint = info.endpoint || socketPath;

  const refuse = async (message: string, cause?: unknown): Promise<never> => {
    const error = registrationError(message, cause);
    await client
      .notifyRegistrationStatus(socketPath, { pluginRegistered: false, error: error.message }, signal)
      .catch((failure: unknown) => {
        throw registrationError(
          `failed to send error at socket ${socketPath}, err: ${errorMessage(failure)} (the error: ${message})`,
          failure,
        );
      });
    throw error;
  };

  const handler = handlers.get(type);
  if (handler === undefined) return refuse(`no handler registered for plugin type: ${type} at socket ${socketPath}`);
  try {
    await handler.validate(name, endpoint, supportedVersions);
  } catch (error) {
    return refuse(`plugin validation failed with err: ${errorMessage(error)}`, error);
  }
  added({ socketPath, type, name, endpoint });
  try {
    await handler.register(name, endpoint, supportedVersions, signal);
  } catch (error) {
    removed();
    return refuse(`plugin registration failed with err: ${errorMessage(error)}`, error);
  }
  try {
    await client.notifyRegistrationStatus(socketPath, { pluginRegistered: true, error: '' }, signal);
  } catch (error) {
    // The manager stops, so there is no retry; the next start registers the plugin.
    signal.throwIfAborted();
    removed();
    await handler.deregister(name, endpoint, signal);
    throw registrationError(`failed to send registration status at socket ${socketPath}, err: ${errorMessage(error)}`, error);
  }
}
