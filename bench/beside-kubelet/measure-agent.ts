import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchNodeOptions, startBenchNode } from './bench-node.js';
import { residentMib } from './process-tree.js';

/** CPU and wall times in seconds, `serialReady` in milliseconds, memory in MiB, idle CPU in percent of a core. */
export interface Usage {
  coldStartCpu: number;
  coldStartWall: number;
  rssWithoutPods: number;
  startCpu: number;
  startWall: number;
  rssWith60Pods: number;
  idleCpu: number;
  stopCpu: number;
  stopWall: number;
  serialStartCpu: number;
  serialStopCpu: number;
  serialReady: number;
  rssWith110Pods: number;
}

const settleMs = 10_000;
const idleMs = 20_000;

/** Measures a kubelet or the built `nodeagent run`. */
export async function measureAgent(options: BenchNodeOptions): Promise<Usage> {
  const node = await startBenchNode(options);
  const { pid, coldStart } = node;
  try {
    await sleep(settleMs);
    const rssWithoutPods = residentMib(pid);

    for (let warmUp = 0; warmUp < 2; warmUp++) await (await node.start(60)).stop();
    const many = await node.start(60);
    await sleep(settleMs);
    const idle = node.measure();
    await sleep(idleMs);
    const idleCpu = (idle().cpu / (idleMs / 1_000)) * 100;
    const rssWith60Pods = residentMib(pid);
    const manyStopped = await many.stop();

    await (await node.start(15, { serial: true })).stop();
    const serial = await node.start(15, { serial: true });
    const serialStopped = await serial.stop();

    const most = await node.start(110);
    await sleep(settleMs);
    const rssWith110Pods = residentMib(pid);
    await most.stop();
    return {
      coldStartCpu: coldStart.cpu,
      coldStartWall: coldStart.wall,
      rssWithoutPods,
      startCpu: many.cpu,
      startWall: many.wall,
      rssWith60Pods,
      idleCpu,
      stopCpu: manyStopped.cpu,
      stopWall: manyStopped.wall,
      serialStartCpu: serial.cpu,
      serialStopCpu: serialStopped.cpu,
      serialReady: [...serial.readyMs].sort((a, b) => a - b)[7] ?? Number.NaN,
      rssWith110Pods,
    };
  } finally {
    await node.stop();
  }
}
