// A container runtime that is killed: sets up and tears down networks of pods until then. Its argument has the folders; `work/sandboxes` has
// one file for each pod that it has recorded as running.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPodNetworks, type PodNetworkFolders } from './test-pod-network.js';

const folders = JSON.parse(process.argv[2] ?? '') as PodNetworkFolders;
const records = join(folders.work, 'sandboxes');
mkdirSync(records, { recursive: true });
const isRecorded = (containerId: string) => readdirSync(records).includes(containerId);

console.log('started');
const { networks } = await openPodNetworks(folders);
await networks.recover(isRecorded);
console.log('recovered');
let created = 0;

async function churn(): Promise<never> {
  for (;;) {
    const containerId = `c${process.pid}-${created++}`;
    const pod = { namespace: 'default', name: containerId, uid: containerId };
    const ports = [{ containerPort: 80, hostPort: 20_000 + (created % 1_000) }];
    await networks.setUp({ containerId, pod, portMappings: ports, annotations: { 'kubernetes.io/egress-bandwidth': '10M' } });
    writeFileSync(join(records, containerId), '');
    const [oldest] = readdirSync(records);
    if (readdirSync(records).length <= 3 || oldest === undefined) continue;
    rmSync(join(records, oldest), { force: true });
    await networks.tearDown(oldest);
  }
}

await Promise.all([churn(), churn()]);
