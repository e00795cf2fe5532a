// Runs a container that reads its input, and prints its ID and a URL to attach to it: node FILE FOLDER.
import { openTestMachine } from '../test-machine.js';

async function runContainer(folder: string): Promise<void> {
  const { create, cgroupParent } = openTestMachine(folder);
  const { start, runtime } = create();
  await start();
  const namespaceOptions = { pid: 'CONTAINER' } as const;
  const metadata = { name: 'web', namespace: 'default', uid: 'u', attempt: 0 };
  const linux = { securityContext: { namespaceOptions } };
  const { podSandboxId } = await runtime.runPodSandbox({
    config: { metadata, logDirectory: `${folder}/logs`, linux: { ...linux, cgroupParent } },
  });
  const command = ['sh', '-c', 'while read word; do echo "got $word"; done; sleep 1000'];
  const main = { metadata: { name: 'main', attempt: 0 }, image: { image: 'host' }, logPath: 'main.log' };
  const { containerId } = await runtime.createContainer({ podSandboxId, config: { ...main, command, stdin: true, linux } });
  await runtime.startContainer({ containerId });
  const { url } = await runtime.attach({ containerId, stdin: true, stdout: true, stderr: true });
  process.stdout.write(`${containerId} ${url}\n`);
  process.stdin.resume();
}

void runContainer(process.argv[2] ?? '');
