/** A plugin's response to GetInfo. */
export interface PluginInfo {
  /** `CSIPlugin`, `DevicePlugin` or `DRAPlugin`. */
  type: string;
  name: string;
  /** The socket of its service; empty if it is the registration socket. */
  endpoint: string;
  supportedVersions: string[];
}

/** Handles plugins of one type. Its errors are sent to the plugin, so they must not contain secrets. */
export interface PluginHandler {
  /** Throws if the plugin is not acceptable. */
  validate(name: string, endpoint: string, versions: readonly string[]): void | Promise<void>;
  register(name: string, endpoint: string, versions: readonly string[], signal: AbortSignal): Promise<void>;
  deregister(name: string, endpoint: string, signal: AbortSignal): Promise<void>;
}

/** Calls the registration service of plugins. */
export interface RegistrationClient {
  getInfo(socketPath: string, signal: AbortSignal): Promise<PluginInfo>;
  notifyRegistrationStatus(socketPath: string, status: { pluginRegistered: boolean; error: string }, signal: AbortSignal): Promise<void>;
}
