import { type CgroupFiles, createCgroupManager } from '@nodeagent/cgroups';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { machineCgroupFiles } from '@nodeagent/cgroups/node';
import { createContainerManager } from '@nodeagent/container-manager';
import { buildPod, createVirtualClock } from '@nodeagent/testing';

const podCount = 60;
/** Idle housekeeping lists the cgroups of pods once a minute, and QoS classes are updated as often. */
const housekeepingPeriodMs = 60_000;
const hour = 3_600_000;

/** An idle hour, in virtual time, of the cgroups of 60 pods: in memory, and as root in the kernel below a separate root. */
export async function benchContainerManager(report: (line: string) => void): Promise<void> {
  await benchIdleHour('in memory', createMemoryCgroups().files, report);
  if (process.getuid?.() === 0) await benchIdleHour('in the kernel', machineCgroupFiles, report);
}

async function benchIdleHour(where: string, files: CgroupFiles, report: (line: string) => void): Promise<void> {
  const clock = createVirtualClock();
  const root = [`nodeagent-bench-${process.pid}`];
  const cgroups = createCgroupManager({ files });
  const pods = Array.from({ length: podCount }, (_, index) =>
    buildPod({ name: `p${index}`, uid: `u${index}`, containers: [{ resources: { requests: { cpu: '10m', memory: '16Mi' } } }] }),
  );
  const manager = createContainerManager({
    cgroups,
    cgroupRoot: root,
    activePods: () => pods,
    capacity: { cpu: '2', memory: '8Gi' },
    nodeName: 'bench',
    clock,
  });
  await manager.start();
  if (!manager.isEnabled) {
    report(`container manager, cgroups ${where}: not measured, they cannot be written`);
    return;
  }
  for (const pod of pods) await manager.pods.create(pod);
  await manager.updateQosCgroups();
  const running = new Set(pods.map(({ metadata }) => metadata?.uid ?? ''));
  const before = process.cpuUsage();
  for (let at = 0; at < hour; at += housekeepingPeriodMs) {
    await clock.advance(housekeepingPeriodMs);
    await manager.pods.removeOrphans(running, () => false);
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const share = ((seconds / (hour / 1_000)) * 100).toFixed(4);
  report(`container manager idle with ${podCount} pods for an hour, cgroups ${where}, CPU: ${seconds.toFixed(2)} s (${share} % of a core)`);
  await manager.stop();
  await cgroups.remove(root);
}
