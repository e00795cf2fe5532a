import { type ImagePlatform, platformOfMachine } from './platform.js';

/** The platform of the machine that runs this process. */
export function thisMachine(): ImagePlatform {
  const { arm_version: armVersion } = process.config.variables as { arm_version?: unknown };
  return platformOfMachine(process.platform, process.arch, String(armVersion ?? ''));
}
