import { NodeAgentError, type VolumeSpec } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { csiErrorCodes } from './errors.js';

/** The content of `vol_data.json` beside a volume's folder, from which a kubelet tears down the volume after a restart. */
export interface CsiVolumeData {
  volumeHandle?: string;
  driverName?: string;
  specVolID?: string;
  nodeName?: string;
  attachmentID?: string;
  /** `Persistent` or `Ephemeral`. */
  volumeLifecycleMode?: string;
  seLinuxMountContext?: string;
}

/** The SELinux label of the mount as volume data. */
export const seLinuxData = (label: string): CsiVolumeData => (label === '' ? {} : { seLinuxMountContext: label });

const htmlCharacters: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** The file's text: keys sorted, HTML characters escaped. */
export function formatCsiData(data: CsiVolumeData): string {
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify(sorted).replace(/[<>&\u2028\u2029]/g, (character) => htmlCharacters[character] ?? character)}\n`;
}

/** Parses the data file of a volume. Throws for JSON that is not an object of strings. */
export function parseCsiData(text: string): CsiVolumeData {
  const data: unknown = JSON.parse(text);
  if (!isObject(data) || Object.values(data).some((value) => typeof value !== 'string'))
    throw new NodeAgentError(csiErrorCodes.operationFailed, 'the data file of the volume is not an object of strings');
  return data as CsiVolumeData;
}

/** Reconstructs the spec of a volume from its data file. */
export function specFromCsiData(data: CsiVolumeData, volumeMode: 'Filesystem' | 'Block' = 'Filesystem'): VolumeSpec {
  const { specVolID: name = '', driverName: driver = '', volumeHandle = '' } = data;
  if (data.volumeLifecycleMode === 'Ephemeral') return { volume: { name, csi: { driver } }, readOnly: false };
  return { persistentVolume: { metadata: { name }, spec: { csi: { driver, volumeHandle }, volumeMode } }, readOnly: false };
}
