import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { measureAgent } from './beside-kubelet/measure-agent.js';

/** Major versions; undefined is that of this process. */
const versions = [undefined, 22, 24] as const;

const text = { encoding: 'utf8' } as const;
const script = (name: string) => fileURLToPath(new URL(`../scripts/${name}`, import.meta.url));
const pathOfNode = (major: number) => [String(major), 'node', '--print', 'process.execPath'];

/** The built `nodeagent run` on containerd with each supported Node: what `beside-kubelet` measures, without the kubelet. */
export async function benchNodeVersions(report: (line: string) => void): Promise<void> {
  const binaries = provideContainerd(false).found.at(-1);
  if (process.getuid?.() !== 0 || binaries === undefined) {
    report('versions of Node: skipped, because it needs root and containerd');
    return;
  }
  execFileSync(process.execPath, [script('build.mjs'), '--no-types', 'cli'], { stdio: 'ignore' });
  for (const major of versions) {
    const node =
      major === undefined ? process.execPath : execFileSync(process.execPath, [script('with-node.mjs'), ...pathOfNode(major)], text).trim();
    const version = execFileSync(node, ['--version'], text).trim();
    const usage = await measureAgent({ binaries, node });
    const seconds = (value: number) => `${value.toFixed(2)} s`;
    const mib = (value: number) => `${value.toFixed(1)} MiB`;
    report(`Node ${version}, CPU and wall time to a ready node: ${seconds(usage.coldStartCpu)}, ${seconds(usage.coldStartWall)}`);
    report(`Node ${version}, CPU to start and to stop 60 pods: ${seconds(usage.startCpu)}, ${seconds(usage.stopCpu)}`);
    report(
      `Node ${version}, CPU to start and to stop 15 pods one by one: ${seconds(usage.serialStartCpu)}, ${seconds(usage.serialStopCpu)}`,
    );
    report(`Node ${version}, median time to Ready of these: ${usage.serialReady.toFixed(0)} ms`);
    report(`Node ${version}, idle CPU with 60 pods: ${usage.idleCpu.toFixed(2)} % of a core`);
    report(
      `Node ${version}, RSS with 0, 60 and 110 pods: ${mib(usage.rssWithoutPods)}, ${mib(usage.rssWith60Pods)}, ${mib(usage.rssWith110Pods)}`,
    );
  }
}
