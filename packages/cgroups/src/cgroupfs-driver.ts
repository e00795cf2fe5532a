import { cgroupfsPath, parseCgroupfsPath } from '@nodeagent/api/helpers';
import type { CgroupDriver } from './cgroup-driver.js';

/** The driver `cgroupfs`: the files are all there is. */
export const cgroupfsDriver: CgroupDriver = {
  path: cgroupfsPath,
  parse: parseCgroupfsPath,
  async create() {},
  async update() {},
  async remove() {},
};
