import type { Pod, VolumeManager } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** The volume manager, which prints once for each pod that its volumes are mounted. */
export function printMounts<T extends VolumeManager>(volumes: T, print: (line: string) => void): T {
  const printed = new Set<string>();
  return {
    ...volumes,
    async waitForAttachAndMount(pod: Pod, signal: AbortSignal) {
      await volumes.waitForAttachAndMount(pod, signal);
      if (printed.has(podUid(pod))) return;
      printed.add(podUid(pod));
      print(`the volumes of ${pod.metadata?.name} are mounted`);
    },
  };
}
