/**
 * Plugins of a node: finds their sockets, registers and unregisters them, as a kubelet does.
 * The pure functions and parts that it is made of are in `@nodeagent/plugin-manager/decisions`.
 *
 * @packageDocumentation
 */
export { pluginManagerErrorCodes } from './errors.js';
export { type PluginFolder, type PluginSocket, pluginFolder } from './plugin-folder.js';
export type { PluginHandler, PluginInfo, RegistrationClient } from './plugin-handler.js';
export { createPluginManager, type PluginManager, type PluginManagerOptions } from './plugin-manager.js';
export type { RegisteredPlugin } from './register.js';
export { grpcRegistrationClient } from './registration-client.js';
