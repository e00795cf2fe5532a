import { isAbsolute, isObject } from '@nodeagent/api/helpers';
import { readYaml } from '@nodeagent/yaml';
import { invalidCdiSpec } from '../../errors.js';
import type { OciDeviceType, OciHook, OciHookName, OciMount } from '../oci-spec.js';

/** What a CDI specification changes in a container. Container Device Interface, "CDI JSON Specification", `containerEdits`. */
export interface CdiEdits {
  env: readonly string[];
  deviceNodes: readonly CdiDeviceNode[];
  mounts: readonly OciMount[];
  hooks: readonly (OciHook & { hookName: OciHookName })[];
  additionalGids: readonly number[];
}

/** A device node. What it lacks is that of the device `hostPath` on the host. */
export interface CdiDeviceNode {
  path: string;
  /** Default: `path`. */
  hostPath: string;
  type?: OciDeviceType;
  major?: number;
  minor?: number;
  fileMode?: number;
  /** Letters of `rwm`. */
  permissions: string;
  uid?: number;
  gid?: number;
}

/** A CDI specification: the devices of one kind, `vendor.com/class`. */
export interface CdiSpec {
  kind: string;
  devices: ReadonlyMap<string, CdiEdits>;
  /** For each container that has one of the devices. */
  edits: CdiEdits;
}

const kindForm = /^[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]\/[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/;
const nameForm = /^[A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?$/;
const hookNames: readonly string[] = ['prestart', 'createRuntime', 'createContainer', 'startContainer', 'poststart', 'poststop'];

/**
 * Parses a CDI specification, JSON or YAML, of versions below 2. Members that no OCI runtime of these days has, such as intelRdt and netDevices,
 * are ignored. Rejects with `InvalidCdiSpec`, whose details name the field.
 */
export async function parseCdiSpec(text: string): Promise<CdiSpec> {
  const [document] = await readYaml(text);
  if (document?.problem !== undefined) throw invalidCdiSpec('content', document.problem.message);
  const spec = objectOf(document?.value, 'content');
  const { cdiVersion } = spec;
  const version = typeof cdiVersion === 'string' ? cdiVersion : JSON.stringify(cdiVersion);
  if (version === undefined || !/^[01]\.\d+\.\d+$/.test(version)) throw invalidCdiSpec('cdiVersion', `is ${version}, not 0.x or 1.x`);
  const kind = textOf(spec.kind, 'kind');
  if (!kindForm.test(kind)) throw invalidCdiSpec('kind', `"${kind}" is not of the form vendor.com/class`);
  const devices = new Map<string, CdiEdits>();
  for (const [index, value] of listOf(spec.devices, 'devices').entries()) {
    const field = `devices[${index}]`;
    const device = objectOf(value, field);
    const name = textOf(device.name, `${field}.name`);
    if (!nameForm.test(name)) throw invalidCdiSpec(`${field}.name`, `"${name}" is not a name of a device`);
    if (devices.has(name)) throw invalidCdiSpec(`${field}.name`, `"${name}" is there twice`);
    devices.set(name, editsOf(device.containerEdits, `${field}.containerEdits`));
  }
  return { kind, devices, edits: editsOf(spec.containerEdits, 'containerEdits') };
}

function editsOf(value: unknown, field: string): CdiEdits {
  const edits = objectOf(value ?? {}, field);
  const each = <T>(name: string, read: (entry: unknown, field: string) => T): T[] =>
    listOf(edits[name], `${field}.${name}`).map((entry, index) => read(entry, `${field}.${name}[${index}]`));
  return {
    env: each('env', variableOf),
    deviceNodes: each('deviceNodes', deviceNodeOf),
    mounts: each('mounts', mountOf),
    hooks: each('hooks', hookOf),
    additionalGids: each('additionalGids', (entry, field) => numberOf(entry, field) ?? 0).filter((gid) => gid !== 0),
  };
}

function variableOf(entry: unknown, field: string): string {
  const variable = textOf(entry, field);
  if (variable.indexOf('=') > 0) return variable;
  throw invalidCdiSpec(field, `"${variable}" is not of the form NAME=value`);
}

function deviceNodeOf(entry: unknown, field: string): CdiDeviceNode {
  const node = objectOf(entry, field);
  const path = pathOf(node.path, `${field}.path`);
  const type = node.type || undefined;
  if (type !== undefined && !['c', 'u', 'b', 'p'].includes(type as string)) throw invalidCdiSpec(`${field}.type`, 'must be c, u, b or p');
  const permissions = node.permissions || 'rwm';
  if (typeof permissions !== 'string' || !/^[rwm]+$/.test(permissions)) {
    throw invalidCdiSpec(`${field}.permissions`, 'must consist of r, w and m');
  }
  const numbers = ['major', 'minor', 'fileMode', 'uid', 'gid'].flatMap((name) => {
    const number = numberOf(node[name], `${field}.${name}`);
    return number === undefined ? [] : [[name, number] as const];
  });
  return {
    path,
    hostPath: node.hostPath ? pathOf(node.hostPath, `${field}.hostPath`) : path,
    ...(type !== undefined && { type: type as OciDeviceType }),
    permissions,
    ...Object.fromEntries(numbers),
  };
}

function mountOf(entry: unknown, field: string): OciMount {
  const mount = objectOf(entry, field);
  return {
    destination: pathOf(mount.containerPath, `${field}.containerPath`),
    type: mount.type ? textOf(mount.type, `${field}.type`) : 'bind',
    source: textOf(mount.hostPath, `${field}.hostPath`),
    options: textsOf(mount.options, `${field}.options`),
  };
}

function hookOf(entry: unknown, field: string): OciHook & { hookName: OciHookName } {
  const hook = objectOf(entry, field);
  const hookName = textOf(hook.hookName, `${field}.hookName`);
  if (!hookNames.includes(hookName)) throw invalidCdiSpec(`${field}.hookName`, `"${hookName}" is not one of ${hookNames.join(', ')}`);
  const timeout = numberOf(hook.timeout, `${field}.timeout`);
  return {
    hookName: hookName as OciHookName,
    path: pathOf(hook.path, `${field}.path`),
    args: textsOf(hook.args, `${field}.args`),
    env: textsOf(hook.env, `${field}.env`),
    ...(timeout !== undefined && { timeout }),
  };
}

function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw invalidCdiSpec(field, 'must be an object');
}

function listOf(value: unknown, field: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw invalidCdiSpec(field, 'must be a list');
}

const textsOf = (value: unknown, field: string): string[] =>
  listOf(value, field).map((entry, index) => textOf(entry, `${field}[${index}]`));

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value;
  throw invalidCdiSpec(field, 'must be a text that is not empty');
}

function pathOf(value: unknown, field: string): string {
  const path = textOf(value, field);
  if (isAbsolute(path)) return path;
  throw invalidCdiSpec(field, `"${path}" is not an absolute path`);
}

function numberOf(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalidCdiSpec(field, 'must be a whole number from 0');
}
