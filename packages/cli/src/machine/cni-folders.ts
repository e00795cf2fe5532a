import { readdirSync } from 'node:fs';

/** Where a node's network add-on writes its configuration. */
export const defaultCniConfigDir = '/etc/cni/net.d';

/** Where network add-ons, Debian, and Fedora and Alpine install plugins. */
export const defaultCniPluginDirs = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'];

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
