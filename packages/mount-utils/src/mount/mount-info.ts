import { join } from 'node:path';
import { type MountInfo, NodeAgentError } from '@nodeagent/api';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { mountUtilsErrorCodes } from '../errors.js';

const minFields = 10;

/** Throws `InvalidMountInfo` for a line that is not of the format. */
export function parseMountInfo(text: string): MountInfo[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine);
}

function parseLine(line: string): MountInfo {
  const fields = line.split(' ').filter((field) => field !== '');
  if (fields.length < minFields) {
    throw invalid(`wrong number of fields (expected at least ${minFields}, got ${fields.length}): ${line}`);
  }
  const [id = '', parentId = '', device = '', root = '', mountPoint = '', options = '', ...rest] = fields;
  const end = rest.indexOf('-');
  const [major = '', minor = '', ...more] = device.split(':');
  if (end === -1 || rest.length < end + 4 || more.length > 0) throw invalid(`not a line of mountinfo: ${line}`);
  const [fsType = '', source = '', superOptions = ''] = rest.slice(end + 1);
  return {
    id: toNumber(id, line),
    parentId: toNumber(parentId, line),
    major: toNumber(major, line),
    minor: toNumber(minor, line),
    root: decodeField(root),
    mountPoint: decodeField(mountPoint),
    options: options.split(','),
    optionalFields: rest.slice(0, end),
    fsType,
    source: decodeField(source),
    superOptions: superOptions.split(','),
  };
}

/** Space, tab, newline, backslash and `#` are written as three octal digits; paths are bytes, so escapes may be parts of characters. */
function decodeField(field: string): string {
  if (!field.includes('\\')) return field;
  const bytes = Buffer.from(field).toString('latin1');
  return Buffer.from(
    bytes.replace(/\\([0-3][0-7]{2})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
    'latin1',
  ).toString();
}

function toNumber(text: string, line: string): number {
  if (!/^\d+$/.test(text)) throw invalid(`not a number in a line of mountinfo: ${line}`);
  return Number(text);
}

/** The mount of a clean absolute path: the last one at or above the path. */
export function mountOf(path: string, mounts: readonly MountInfo[]): MountInfo | undefined {
  return mounts.findLast(({ mountPoint }) => isPathWithinBase(path, mountPoint));
}

/**
 * The other mount points of the same folder of the same file system. Throws `InvalidMountInfo` for a path without a mount.
 */
export function findMountRefs(path: string, mounts: readonly MountInfo[]): string[] {
  const own = mountOf(path, mounts);
  if (!own) throw invalid(`failed to get root path and major:minor for ${path}`);
  const root = join(own.root, path.startsWith(own.mountPoint) ? path.slice(own.mountPoint.length) : path);
  return mounts
    .filter((other) => other.id !== own.id && other.root === root && other.major === own.major && other.minor === own.minor)
    .map(({ mountPoint }) => mountPoint);
}

/**
 * Whether a device's folder has other mounts: a reference that is not the folder itself, below another root or deeper in it.
 */
export function hasOtherMountRefs(mountPath: string, refs: readonly string[]): boolean {
  const inPlugins = mountPath.indexOf('/plugins/kubernetes.io/');
  const own = inPlugins === -1 ? mountPath : mountPath.slice(inPlugins);
  return refs.some((ref) => !ref.includes(own));
}

function invalid(message: string): NodeAgentError {
  return new NodeAgentError(mountUtilsErrorCodes.invalidMountInfo, message);
}
