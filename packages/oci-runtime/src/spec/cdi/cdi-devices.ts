import { errorMessage } from '@nodeagent/api';
import type { ContainerConfig } from '@nodeagent/cri-api';
import { invalidArgument } from '../../errors.js';
import { type CdiEdits, type CdiSpec, parseCdiSpec } from './parse-cdi-spec.js';

/** The folders of CDI specifications, those that win last. */
export const cdiFolders = ['/etc/cdi', '/var/run/cdi'];

/** A file with a CDI specification. */
export interface CdiFile {
  path: string;
  text: string;
}

/** The devices of all CDI specifications of a machine, by their qualified names, `vendor.com/class=name`. */
export interface CdiDevices {
  devices: ReadonlyMap<string, { spec: CdiSpec; edits: CdiEdits }>;
  /** Files that are no specification, and devices that two files of a folder have. */
  problems: readonly string[];
}

/**
 * Reads CDI specifications. A device of a later folder replaces that of an earlier one. A device that two files of one folder have is not
 * available. Container Device Interface, "CDI Registry".
 *
 * @param folders - the files of each folder, in the order of {@link cdiFolders}
 */
export async function readCdiDevices(folders: readonly (readonly CdiFile[])[]): Promise<CdiDevices> {
  const devices = new Map<string, { spec: CdiSpec; edits: CdiEdits }>();
  const problems: string[] = [];
  for (const files of folders) {
    const owners = new Map<string, string>();
    for (const { path, text } of files) {
      let spec: CdiSpec;
      try {
        spec = await parseCdiSpec(text);
      } catch (error) {
        problems.push(`${path}: ${errorMessage(error)}`);
        continue;
      }
      for (const [name, edits] of spec.devices) {
        const qualified = `${spec.kind}=${name}`;
        const owner = owners.get(qualified);
        owners.set(qualified, path);
        if (owner === undefined) devices.set(qualified, { spec, edits });
        else {
          devices.delete(qualified);
          problems.push(`${qualified}: both ${owner} and ${path} define it`);
        }
      }
    }
  }
  return { devices, problems };
}

/** Names of CDI devices in annotations, as device plugins and older kubelets give them: `cdi.k8s.io/KEY: vendor.com/class=name,...`. */
const annotationPrefix = 'cdi.k8s.io/';

/** The qualified names of the CDI devices that a container requests, each once: by the CRI's field, and by annotations. */
export function requestedCdiDevices({ cdiDevices = [], annotations = {} }: Pick<ContainerConfig, 'cdiDevices' | 'annotations'>): string[] {
  const annotated = Object.entries(annotations).filter(([key]) => key.startsWith(annotationPrefix));
  const names = [...cdiDevices.map(({ name = '' }) => name), ...annotated.flatMap(([, value]) => value.split(','))];
  return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '');
}

/**
 * The edits of devices in their order, each after the edits of its specification, which count once.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for names that no specification has
 */
export function cdiEdits(names: readonly string[], { devices, problems }: CdiDevices): CdiEdits[] {
  const missing = names.filter((name) => !devices.has(name));
  if (missing.length > 0) {
    throw invalidArgument(
      'CDI_devices',
      `unresolvable CDI devices ${missing.join(', ')}`,
      problems.length > 0 ? `Correct ${problems.join('; ')}.` : `Specifications are in ${cdiFolders.join(' and ')}.`,
    );
  }
  const edits = names.flatMap((name) => {
    const device = devices.get(name);
    return device === undefined ? [] : [device.spec.edits, device.edits];
  });
  return [...new Set(edits)];
}
