import { basename } from '@nodeagent/api/helpers';
import type { MonitorCgroup } from './monitor-cgroup.js';

/**
 * Scopes of systemd for the conmon processes of a pod, below its slice: systemd-run(1) moves itself into one, then becomes conmon, with the
 * descriptors that it has. systemd forgets a scope once its last process has ended.
 *
 * @param parent - `cgroup_parent` of the sandbox; empty: system.slice
 */
export function monitorScope(parent: string): MonitorCgroup {
  const slice = `--slice=${basename(parent) || 'system.slice'}`;
  return {
    command(containerId, [program, ...args]) {
      const unit = [`--unit=nodeagent-conmon-${containerId}`, slice, `--description=monitor of container ${containerId}`];
      return ['systemd-run', '--quiet', '--scope', '--collect', ...unit, '--', program, ...args];
    },
    place() {},
    remove() {},
  };
}
