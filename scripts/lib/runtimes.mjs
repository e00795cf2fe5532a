import { join } from 'node:path';
import { fetchNode } from './fetch-node.mjs';
import { installOnce } from './install-once.mjs';
import { nodeVersions } from './node-versions.mjs';

const { arch, platform } = process;

/** The command and the first arguments that run a file in each runtime, which comes from the npm registry, once. */
export const runtimes = {
  ...Object.fromEntries(Object.keys(nodeVersions).map((major) => [`Node ${major}`, () => [join(fetchNode(major), 'node')]])),
  Bun: () => {
    const name = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
    return [join(installOnce(name, '1.4.5'), name, 'bin', 'bun')];
  },
  Deno: () => {
    const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;
    // Without permissions: the program reads no file, opens no socket and asks for no variable.
    return [join(installOnce(name, '2.9.6'), name, 'deno'), 'run', '--no-prompt'];
  },
};
