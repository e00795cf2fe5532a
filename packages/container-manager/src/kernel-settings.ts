import { NodeAgentError } from '@nodeagent/api';
import { containerManagerErrorCodes } from './errors.js';

/** Kernel settings that a node needs, by their path below `/proc/sys`: Kubernetes documentation, `protectKernelDefaults`. */
export const kernelSettings: Readonly<Record<string, number>> = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** Access to `/proc/sys`. */
export interface KernelSettingFiles {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
}

/**
 * Sets each kernel setting that has another value. With `protect` it changes none and rejects with `KernelSettingInvalid`. Returns the changed
 * ones as `name: before -> after`. Rejects if a setting cannot be read or written.
 */
export async function ensureKernelSettings(files: KernelSettingFiles, { protect = false } = {}): Promise<string[]> {
  const changes: string[] = [];
  for (const [path, expected] of Object.entries(kernelSettings)) {
    const actual = Number((await files.read(path)).trim());
    if (actual === expected) continue;
    if (protect) {
      throw new NodeAgentError(
        containerManagerErrorCodes.kernelSettingInvalid,
        `invalid kernel flag: ${path}, expected value: ${expected}, actual value: ${actual}`,
        { hint: `Run sysctl -w ${path.replaceAll('/', '.')}=${expected}, or set protectKernelDefaults to false.`, details: { name: path } },
      );
    }
    await files.write(path, String(expected));
    changes.push(`${path}: ${actual} -> ${expected}`);
  }
  return changes;
}
