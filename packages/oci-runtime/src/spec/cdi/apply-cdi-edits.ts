import { invalidArgument } from '../../errors.js';
import { byPath, type HostDevice, ruleOf } from '../devices.js';
import { sortMounts } from '../mounts.js';
import type { OciDevice, OciHookName, OciHooks, OciSpec } from '../oci-spec.js';
import type { CdiDeviceNode, CdiEdits } from './parse-cdi-spec.js';

/**
 * A container's specification with the edits of its CDI devices: later variables, device nodes and mounts replace earlier ones of the same
 * name or path. A node without an owner belongs to the user of the process, unless that is root.
 *
 * @param found - the device of the host at each `hostPath` of the edits' device nodes
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a device node that is incomplete and not on the host
 */
export function applyCdiEdits(spec: OciSpec, edits: readonly CdiEdits[], found: Readonly<Record<string, readonly HostDevice[]>>): OciSpec {
  if (edits.length === 0) return spec;
  const { process, linux } = spec;
  const nodes = edits.flatMap(({ deviceNodes }) => deviceNodes);
  const devices = nodes.map((node) => deviceOf(node, found[node.hostPath]?.[0], process.user));
  const rules = devices.flatMap((device, index) => ruleOf(device, nodes[index]?.permissions ?? ''));
  const mounts = edits.flatMap((each) => each.mounts);
  const destinations = new Set(mounts.map(({ destination }) => destination));
  const gids = edits.flatMap(({ additionalGids }) => additionalGids);
  return {
    ...spec,
    process: {
      ...process,
      env: replaceVariables([...process.env, ...edits.flatMap(({ env }) => env)]),
      user: { ...process.user, additionalGids: [...new Set([...(process.user.additionalGids ?? []), ...gids])] },
    },
    mounts: sortMounts([...spec.mounts.filter(({ destination }) => !destinations.has(destination)), ...mounts]),
    hooks: addHooks(spec.hooks, edits),
    linux: {
      ...linux,
      devices: byPath([...linux.devices, ...devices]),
      resources: { ...linux.resources, devices: [...(linux.resources.devices ?? []), ...rules] },
    },
  };
}

function deviceOf(node: CdiDeviceNode, host: HostDevice | undefined, user: OciSpec['process']['user']): OciDevice {
  const { hostPath, permissions: _, ...given } = node;
  const type = given.type ?? host?.type;
  const [major, minor] = [given.major ?? host?.major, given.minor ?? host?.minor];
  if (type === undefined || (type !== 'p' && (major === undefined || minor === undefined))) {
    throw invalidArgument('CDI_devices', `"${hostPath}" is no device of this machine`);
  }
  const owner = user.uid === 0 ? {} : { uid: user.uid, gid: user.gid };
  return {
    ...(host?.fileMode !== undefined && { fileMode: host.fileMode }),
    ...owner,
    ...given,
    type,
    ...(type !== 'p' && { major, minor }),
  };
}

function replaceVariables(env: readonly string[]): string[] {
  return [...new Map(env.map((variable) => [variable.slice(0, variable.indexOf('=')), variable])).values()];
}

function addHooks(hooks: OciHooks | undefined, edits: readonly CdiEdits[]): OciHooks | undefined {
  const added = edits.flatMap((each) => each.hooks);
  if (added.length === 0) return hooks;
  const names = [...new Set([...Object.keys(hooks ?? {}), ...added.map(({ hookName }) => hookName)])] as OciHookName[];
  const of = (name: OciHookName) => added.filter(({ hookName }) => hookName === name).map(({ hookName: _, ...hook }) => hook);
  return Object.fromEntries(names.map((name) => [name, [...(hooks?.[name] ?? []), ...of(name)]]));
}
