/**
 * The decisions of a container runtime: a config.json of the OCI runtime specification from CRI requests, an image and facts of the
 * machine. Pure functions, which run anywhere.
 *
 * @packageDocumentation
 */
export { containerArgs, containerCwd, containerEnv } from './spec/command.js';
export { type ImageProcess, parseImageProcess } from './spec/image-process.js';
export { containerStopSignal, parseStopSignal } from './spec/stop-signal.js';
export { containerUser, type ProcessUser } from './spec/user.js';
export { type GroupEntry, type PasswdEntry, parseGroup, parsePasswd, type UserFiles } from './spec/user-files.js';
