// Runs and removes pods for ever, until it is killed: node FILE FOLDER.
import type { NamespaceOption } from '@nodeagent/cri-api';
import { openTestMachine } from './test-machine.js';

const ids = [{ hostId: 300_000, containerId: 0, length: 65_536 }];
const usernsOptions = { mode: 'POD', uids: ids, gids: ids } as const;
const spec = { linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } } } as const;

async function runPods(folder: string): Promise<void> {
  const { create, cgroupParent } = openTestMachine(folder);
  const { start, runtime } = create();
  await start();
  process.stdout.write('started\n');
  for (let round = 0; ; round++) {
    const { items } = await runtime.listPodSandbox({});
    const runs = [0, 1].map(async (number) => {
      const metadata = { name: `pod${number}`, namespace: 'default', uid: `u${number}`, attempt: process.pid * 1_000 + round };
      const pid = number === 0 ? 'POD' : 'CONTAINER';
      const namespaceOptions: NamespaceOption = { pid, ...(number === 1 && { usernsOptions }) };
      const linux = { cgroupParent, securityContext: { namespaceOptions } };
      const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, logDirectory: `${folder}/logs`, linux } });
      const config = {
        metadata: { name: 'main', attempt: 0 },
        image: { image: 'host' },
        command: ['sleep', '1000'],
        logPath: `${number}.log`,
        mounts: number === 0 ? [{ containerPath: '/mnt', readonly: true, image: { image: 'host' } }] : [],
        ...spec,
      };
      const { containerId } = await runtime.createContainer({ podSandboxId, config });
      await runtime.startContainer({ containerId });
    });
    const removals = items.map(async ({ id }) => {
      await runtime.stopPodSandbox({ podSandboxId: id });
      await runtime.removePodSandbox({ podSandboxId: id });
    });
    await Promise.all([...runs, ...removals]);
  }
}

void runPods(process.argv[2] ?? '');
