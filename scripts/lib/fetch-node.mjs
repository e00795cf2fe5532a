import { delimiter, join } from 'node:path';
import { installOnce } from './install-once.mjs';
import { nodeVersions } from './node-versions.mjs';

/**
 * The folder of the `node` of a major version, which comes from the npm registry, once. The package of this platform contains the binary; the
 * package `node` itself would only install it by a script. Throws if npm has none for this platform.
 */
export function fetchNode(major) {
  const version = nodeVersions[major];
  if (version === undefined) throw new Error(`Node ${major} is not supported; choose one of ${Object.keys(nodeVersions).join(', ')}`);
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  return join(installOnce(name, version), name, 'bin');
}

/** The environment in which `node` is that of the folder, also for programs that start it by name. */
export function environmentWithNode(folder) {
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
}
