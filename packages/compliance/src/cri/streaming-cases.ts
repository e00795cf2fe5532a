import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { OpenedCommand } from '@nodeagent/streaming';
import { criCase } from './session.js';
import { openAttach, openForward } from './streams.js';

const requested = { stdin: true, stdout: true, stderr: true, tty: false };

/** The URLs of Attach and PortForward, and the streams that clients open there. */
export const streamingCases = [
  criCase(
    'Attach connects a client to the input and output of the container, which exits with the input if it has stdinOnce',
    async ({ runtime, run, runSandbox, start, exited, streaming }) => {
      const config = { command: streaming?.copies ?? [], stdin: true, stdinOnce: true };
      const containerId = await start(await runSandbox('web'), 'runs', config);
      const { url } = await run(runtime.attach({ containerId, ...requested }));
      const client = await openAttach(url, requested);
      try {
        for (const line of ['one\n', 'two\n']) {
          assert.equal(await exchangeLine(client, line), line);
        }
        client.stdin?.end();
        assert.equal((await exited(containerId)).exitCode, 0);
        await client.ended;
      } finally {
        client.close();
      }
    },
    'streaming',
  ),

  criCase(
    'clients attach one after the other to a container without stdinOnce',
    async ({ runtime, run, runSandbox, start, status, streaming }) => {
      const containerId = await start(await runSandbox('web'), 'runs', { command: streaming?.copies ?? [], stdin: true });
      for (const line of ['one\n', 'two\n']) {
        const { url } = await run(runtime.attach({ containerId, ...requested }));
        const client = await openAttach(url, requested);
        assert.equal(await exchangeLine(client, line), line);
        client.close();
        assert.equal((await status(containerId)).state, 'CONTAINER_RUNNING');
      }
    },
    'streaming',
  ),

  criCase(
    'Attach requires a running container',
    async ({ runtime, run, runSandbox, create, start, exited }) => {
      const sandbox = await runSandbox('web');
      const over = await start(sandbox, 'succeeds');
      await exited(over);
      for (const containerId of [await create(sandbox, 'runs'), over, '0'.repeat(64)]) {
        await assert.rejects(run(runtime.attach({ containerId, ...requested })));
      }
    },
    'streaming',
  ),

  criCase(
    'PortForward connects to ports of the sandbox; a refused port is an error of its connection',
    async ({ runtime, run, runSandbox, start, eventually, streaming }) => {
      const podSandboxId = await runSandbox('web');
      const { command = [], port = 0 } = streaming?.echoes ?? {};
      await start(podSandboxId, 'runs', { command });
      const forward = async () => {
        const { url } = await run(runtime.portForward({ podSandboxId, port: [] }));
        return openForward(url);
      };
      // Until the program listens.
      await eventually('a connection', async () => {
        const client = await forward();
        return client
          .exchange(port, 'hello')
          .then(
            (answer) => answer === 'hello',
            () => false,
          )
          .finally(() => client.close());
      });
      const client = await forward();
      try {
        const inputs = ['one', 'two', 'x'.repeat(100_000)];
        assert.deepEqual(await Promise.all(inputs.map((input) => client.exchange(port, input))), inputs);
        const refused = streaming?.echoes.refused ?? 0;
        await assert.rejects(client.exchange(refused, 'hello'), new RegExp(`forwarding port ${refused}`));
      } finally {
        client.close();
      }
    },
    'streaming',
  ),

  criCase(
    'PortForward requires a ready sandbox',
    async ({ runtime, run, runSandbox }) => {
      const podSandboxId = await runSandbox('web');
      await run(runtime.stopPodSandbox({ podSandboxId }));
      for (const id of [podSandboxId, '0'.repeat(64)]) {
        await assert.rejects(run(runtime.portForward({ podSandboxId: id, port: [] })));
      }
    },
    'streaming',
  ),
];

async function exchangeLine({ stdin, stdout, stderr }: OpenedCommand, line: string): Promise<string> {
  assert.ok(stdin && stdout, 'Attach has an input and an output');
  stderr?.resume();
  const answer = once(stdout, 'data');
  stdin.write(line);
  return String((await answer)[0]);
}
