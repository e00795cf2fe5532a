import type { Pod } from '@nodeagent/api';
import { cleanPath, compareUtf8 } from '@nodeagent/api/helpers';
import { payloadError } from './payload.js';

/**
 * Folders that a volume must have because containers mount other volumes inside it, relative to the volume; of nested folders only the
 * topmost. Throws for a mount path that leads out of the container.
 */
export function nestedMountPoints(volumeName: string, pod: Pod): string[] {
  const { initContainers, containers } = pod.spec ?? {};
  const found: string[] = [];
  for (const { volumeMounts } of [...(initContainers ?? []), ...(containers ?? [])]) {
    const mounts = (volumeMounts ?? []).map(({ name, mountPath }) => ({ name, path: cleanPath(mountPath) }));
    const sorted = mounts.map(({ path }) => path).sort(compareUtf8);
    for (const { name, path } of mounts) {
      if (name !== volumeName) continue;
      if (path.startsWith('../')) throw payloadError(`invalid container mount point ${path}`);
      let topmost = '';
      for (const nested of sorted) {
        if (!nested.startsWith(`${path}/`) || (topmost !== '' && nested.startsWith(topmost))) continue;
        topmost = `${nested}/`;
        found.push(nested.slice(path.length + 1));
      }
    }
  }
  return found;
}
