import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { kubeletBinary } from '../tests/support/kubelet/kubelet-process.js';
import { measureAgent, type Usage } from './beside-kubelet/measure-agent.js';

const rows: readonly [label: string, of: keyof Usage, unit: string, digits: number][] = [
  ['start to a ready node, cold, CPU', 'coldStartCpu', 's', 2],
  ['start to a ready node, cold, wall', 'coldStartWall', 's', 2],
  ['RSS without pods', 'rssWithoutPods', 'MiB', 1],
  ['CPU to start 60 pods', 'startCpu', 's', 2],
  ['wall time to start 60 pods', 'startWall', 's', 2],
  ['RSS with 60 pods', 'rssWith60Pods', 'MiB', 1],
  ['idle CPU with 60 pods', 'idleCpu', '% of a core', 2],
  ['CPU to stop 60 pods', 'stopCpu', 's', 2],
  ['wall time to stop 60 pods', 'stopWall', 's', 2],
  ['CPU to start 15 pods one by one', 'serialStartCpu', 's', 2],
  ['CPU to stop these', 'serialStopCpu', 's', 2],
  ['time to Ready of these, median', 'serialReady', 'ms', 0],
  ['RSS with 110 pods', 'rssWith110Pods', 'MiB', 1],
];

/**
 * A kubelet (its path is in `NODEAGENT_KUBELET`) and the built `nodeagent run`, one after the other on the same containerd, with the same
 * configuration and the same pods. Those of 60 pods are the third round.
 */
export async function benchBesideKubelet(report: (line: string) => void): Promise<void> {
  const containerd = provideContainerd(false).found.at(-1);
  const missing =
    process.getuid?.() !== 0
      ? 'it needs root'
      : kubeletBinary === undefined
        ? 'NODEAGENT_KUBELET names no kubelet'
        : containerd === undefined
          ? 'no containerd is installed'
          : undefined;
  if (missing !== undefined || kubeletBinary === undefined || containerd === undefined) {
    report(`beside a kubelet: skipped, because ${missing}`);
    return;
  }
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)), '--no-types', 'cli'], {
    stdio: 'ignore',
  });
  const kubelet = await measureAgent({ binaries: containerd, kubelet: kubeletBinary });
  const nodeagent = await measureAgent({ binaries: containerd });
  for (const [label, of, unit, digits] of rows) {
    const ratio = (nodeagent[of] / kubelet[of]).toFixed(2);
    report(`${label}: ${nodeagent[of].toFixed(digits)} ${unit}, kubelet ${kubelet[of].toFixed(digits)} ${unit}, ${ratio} times`);
  }
}
