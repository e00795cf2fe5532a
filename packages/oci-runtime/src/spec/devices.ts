import { cleanPath, isAbsolute } from '@nodeagent/api/helpers';
import type { Device } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { OciDevice, OciDeviceRule } from './oci-spec.js';

/** A device of the host, as stat(2) has it. `path` is the one on the host. */
export type HostDevice = OciDevice;

/** Device nodes of a container and its rules of the devices controller. */
export interface ContainerDevices {
  devices: OciDevice[];
  rules: OciDeviceRule[];
}

/** Denied for a container are all devices but those that follow. */
const denyAll: OciDeviceRule = { allow: false, access: 'rwm' };

const allowed = (type: 'c' | 'b', major?: number, minor?: number, access = 'rwm'): OciDeviceRule => ({
  allow: true,
  type,
  ...(major !== undefined && { major }),
  ...(minor !== undefined && { minor }),
  access,
});

/** What every container can use: OCI runtime specification, "Default Devices", terminals, and making nodes without opening them. */
const defaultRules: readonly OciDeviceRule[] = [
  allowed('c', undefined, undefined, 'm'),
  allowed('b', undefined, undefined, 'm'),
  allowed('c', 1, 3), // null
  allowed('c', 1, 5), // zero
  allowed('c', 1, 7), // full
  allowed('c', 1, 8), // random
  allowed('c', 1, 9), // urandom
  allowed('c', 5, 0), // tty
  allowed('c', 5, 1), // console
  allowed('c', 5, 2), // ptmx
  allowed('c', 136), // pts
];

/** The devices of the host that a container may get. */
export interface DeviceSources {
  privileged: boolean;
  /** The devices at or below each requested path, by that path. */
  found?: Readonly<Record<string, readonly HostDevice[]>>;
  /** All devices; only for a privileged container. */
  all?: readonly HostDevice[];
}

/**
 * The devices of a container: those of the request, or all of the host for a privileged container, which may also use those that appear
 * later.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a path without devices, and for permissions other than letters of `rwm`
 */
export function containerDevices(requested: readonly Device[], { privileged, found = {}, all = [] }: DeviceSources): ContainerDevices {
  const given = requested.flatMap((device) => requestedDevices(device, found));
  const devices = byPath([...(privileged ? all : []), ...given.map(({ device }) => device)]);
  const rules = given.flatMap(({ device, access }) => ruleOf(device, access));
  return { devices, rules: privileged ? [{ allow: true, access: 'rwm' }] : [denyAll, ...defaultRules, ...rules] };
}

/** The devices, each path once: the last one counts. */
export const byPath = (devices: readonly OciDevice[]): OciDevice[] => [...new Map(devices.map((device) => [device.path, device])).values()];

/** The rule that lets a container use a device; none for a FIFO. */
export function ruleOf({ type, major, minor }: OciDevice, access: string): OciDeviceRule[] {
  return type === 'p' ? [] : [allowed(type === 'b' ? 'b' : 'c', major, minor, access)];
}

function requestedDevices(
  { hostPath = '', containerPath = hostPath, permissions = '' }: Device,
  found: Readonly<Record<string, readonly HostDevice[]>>,
): { device: OciDevice; access: string }[] {
  if (!isAbsolute(containerPath)) throw invalidArgument('devices.container_path', `"${containerPath}" is not an absolute path`);
  if (!/^[rwm]*$/.test(permissions)) throw invalidArgument('devices.permissions', `"${permissions}" must consist of r, w and m`);
  if (!isAbsolute(hostPath)) throw invalidArgument('devices.host_path', `"${hostPath}" is not an absolute path`);
  const devices = found[hostPath] ?? [];
  if (devices.length === 0) throw invalidArgument('devices.host_path', `"${hostPath}" is no device and has none below it`);
  const [from, to] = [cleanPath(hostPath), cleanPath(containerPath)];
  return devices.map((device) => ({ device: { ...device, path: to + device.path.slice(from.length) }, access: permissions || 'rwm' }));
}
