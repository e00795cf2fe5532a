/**
 * Plugins of a node: finds their sockets, registers and unregisters them, as a kubelet does.
 * `@nodeagent/plugin-manager/decisions` exports the pure functions.
 *
 * @packageDocumentation
 */
export { pluginManagerErrorCodes } from './errors.js';
export { type PluginFolder, type PluginSocket, pluginFolder } from './plugin-folder.js';
export type { PluginHandler, PluginInfo, RegistrationClient } from './plugin-handler.js';
export { createPluginManager, type PluginManager, type PluginManagerOptions } from './plugin-manager.js';
export type { RegisteredPlugin } from './register.js';
export { grpcRegistrationClient } from './registration-client.js';
