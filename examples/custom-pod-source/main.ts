/**
 * An agent with a custom source of pods. It runs the pods as processes of this machine, as an ordinary user.
 *     node_modules/.bin/tsx examples/custom-pod-source/main.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createNodeAgent } from '@nodeagent/core/node';
import { createProcessRuntime } from '@nodeagent/process-runtime';

const rootDir = mkdtempSync('/tmp/custom-pod-source-');
const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'host', command: ['sleep', '0.1'] }] };
const agent = createNodeAgent({
  rootDir,
  podLogsDir: `${rootDir}/logs`,
  cri: createProcessRuntime({ root: `${rootDir}/runtime` }),
  sources: [
    {
      name: 'code',
      async start() {
        this.onPods?.([{ metadata: { name: 'job' }, spec }]); // always the complete list
      },
      async stop() {},
    },
  ],
});
agent.on('event', ({ object, reason }) => console.log(object.name, reason));
const succeeded = new Promise((resolve) => agent.on('status', (_, { phase }) => phase === 'Succeeded' && resolve(phase)));
await agent.start();
console.log('the job has', await succeeded);
await agent.stop();
rmSync(rootDir, { recursive: true });
