import { isObject, NodeAgentError, type VolumeSpec } from '@nodeagent/api';
import { csiErrorCodes } from './errors.js';

/** What a kubelet keeps of a volume beside its folder, for the time when nobody else knows any more: `vol_data.json`. */
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

/** What is kept of the label that a volume is mounted with. */
export const seLinuxData = (label: string): CsiVolumeData => (label === '' ? {} : { seLinuxMountContext: label });

const htmlCharacters: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** The file's text: keys sorted, characters of HTML escaped. */
export function formatCsiData(data: CsiVolumeData): string {
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify(sorted).replace(/[<>&\u2028\u2029]/g, (character) => htmlCharacters[character] ?? character)}\n`;
}

/** Throws for anything but an object of texts. */
export function parseCsiData(text: string): CsiVolumeData {
  const data: unknown = JSON.parse(text);
  if (!isObject(data) || Object.values(data).some((value) => typeof value !== 'string'))
    throw new NodeAgentError(csiErrorCodes.operationFailed, 'the data file of the volume is no object of texts');
  return data as CsiVolumeData;
}

/** The spec of a volume of which only the data file is left. */
export function specFromCsiData(data: CsiVolumeData, volumeMode: 'Filesystem' | 'Block' = 'Filesystem'): VolumeSpec {
  const { specVolID: name = '', driverName: driver = '', volumeHandle = '' } = data;
  if (data.volumeLifecycleMode === 'Ephemeral') return { volume: { name, csi: { driver } }, readOnly: false };
  return { persistentVolume: { metadata: { name }, spec: { csi: { driver, volumeHandle }, volumeMode } }, readOnly: false };
}
