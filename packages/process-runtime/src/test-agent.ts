import { systemClock } from '@nodeagent/api';
import { createProcessRuntime } from './process-runtime.js';

/**
 * A process that runs containers, for tests that kill it or run it as another user:
 * `test-agent.ts ROOT RUN_AS_USER COMMAND ARG...` prints one line of JSON about the container and keeps running.
 */
const [root = '', user = '', ...command] = process.argv.slice(2);
const agent = createProcessRuntime({ root, clock: systemClock, leftoverGraceMs: 200 });
await agent.start();
const { runtime } = agent;
const metadata = { name: 'p', namespace: 'ns', uid: 'u', attempt: 0 };
const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, logDirectory: `${root}/logs` } });
try {
  const securityContext = user === '' ? {} : { runAsUser: { value: BigInt(user) } };
  const config = { metadata: { name: 'c', attempt: 0 }, image: { image: 'host' }, command, logPath: 'c.log', linux: { securityContext } };
  const { containerId } = await runtime.createContainer({ podSandboxId, config });
  await runtime.startContainer({ containerId });
  const { stdout } = await runtime.execSync({ containerId, cmd: ['id', '-u'] });
  process.stdout.write(`${JSON.stringify({ containerId, podSandboxId, user: Buffer.from(stdout).toString().trim() })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
}
process.stdin.resume();
