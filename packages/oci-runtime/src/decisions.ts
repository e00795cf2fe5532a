/**
 * The decisions of a container runtime: the parts of a config.json of the OCI runtime specification, from CRI requests, an image and facts
 * of the machine. Pure functions, which run anywhere.
 *
 * @packageDocumentation
 */
export { containerUser, type ProcessUser } from './spec/user.js';
export { type GroupEntry, type PasswdEntry, parseGroup, parsePasswd, type UserFiles } from './spec/user-files.js';
