import { run } from './debian-package.js';

/** A separate network with only a loopback device; without root, the machine's. What runs there does not notice the
 * networks that other tests make beside it: a browser gives up its connections as soon as any address of its machine changes.
 */
export interface NetworkNamespace {
  /** Of the command that is to run there: its program and what stands before its own arguments. */
  readonly prefix: readonly string[];
  remove(): void;
}

export function createNetworkNamespace(): NetworkNamespace {
  if (process.getuid?.() !== 0) return { prefix: [], remove() {} };
  const name = `nodeagent-e2e-${process.pid}`;
  run('ip', ['netns', 'add', name]);
  run('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
  return {
    prefix: ['nsenter', `--net=/run/netns/${name}`, '--'],
    remove: () => run('ip', ['netns', 'delete', name]),
  };
}
