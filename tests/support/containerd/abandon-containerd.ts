// abandon-containerd.ts SERIES NETWORK: starts a private containerd and a pod in it with a port of the machine, and dies by SIGKILL as a
// test run does that CI ends.
import { createCriClient } from '@nodeagent/cri-client';
import { startContainerd } from './containerd.js';
import { provideContainerd } from './provide-containerd.js';

const [series, network] = process.argv.slice(2);
const binaries = provideContainerd(false).found.find((each) => each.series === series);
if (binaries === undefined) throw new Error(`containerd ${series} is not installed`);
const containerd = await startContainerd(binaries, { networks: [Number(network)] });
const { runtime } = createCriClient({ endpoint: containerd.endpoint });
await runtime.runPodSandbox({
  config: {
    metadata: { name: 'abandoned', namespace: 'default', uid: 'abandoned', attempt: 0 },
    portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 18_999, hostIp: '' }],
    logDirectory: '/tmp',
  },
});
process.kill(process.pid, 'SIGKILL');
