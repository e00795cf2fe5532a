/** What a plugin says of itself. */
export interface PluginInfo {
  /** `CSIPlugin`, `DevicePlugin` or `DRAPlugin`. */
  type: string;
  name: string;
  /** The socket of its service; empty if that is the one on which it registers. */
  endpoint: string;
  supportedVersions: string[];
}

/** Takes plugins of one type. What it throws is told to the plugin, so it must have no secrets. */
export interface PluginHandler {
  /** Throws if the plugin cannot be taken. */
  validate(name: string, endpoint: string, versions: readonly string[]): void | Promise<void>;
  register(name: string, endpoint: string, versions: readonly string[], signal: AbortSignal): Promise<void>;
  deregister(name: string, endpoint: string, signal: AbortSignal): Promise<void>;
}

/** Talks to plugins that register. */
export interface RegistrationClient {
  getInfo(socketPath: string, signal: AbortSignal): Promise<PluginInfo>;
  notifyRegistrationStatus(socketPath: string, status: { pluginRegistered: boolean; error: string }, signal: AbortSignal): Promise<void>;
}
