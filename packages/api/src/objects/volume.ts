import type { VolumeSource } from './volume-sources.js';

/** A volume of a pod: a name and exactly one source. */
export interface Volume extends VolumeSource {
  name: string;
}
