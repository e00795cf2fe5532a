import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { dialUpgrade, openHeaders, openRemoteCommand, parseCommandEnd, type RemoteCommandStreams } from '@nodeagent/streaming';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OciRuntime } from '../oci-runtime.js';
import { canRunContainers, createTestMachine, type TestMachine } from '../test-machine.js';

describe.runIf(canRunContainers)('a command that a client runs in a container', () => {
  let machine: TestMachine;
  let oci: OciRuntime;
  let containerId: string;
  beforeAll(async () => {
    machine = createTestMachine();
    oci = machine.create();
    await oci.start();
    const { runtime } = oci;
    const linux = { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } } as const;
    const pod = {
      metadata: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 },
      linux: { ...linux, cgroupParent: machine.cgroupParent },
    };
    const { podSandboxId } = await runtime.runPodSandbox({ config: { ...pod, logDirectory: join(machine.folder, 'logs') } });
    const envs = [{ key: 'COLOR', value: Buffer.from('blue') }];
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'host' }, command: ['sleep', '1000'], envs, linux };
    ({ containerId } = await runtime.createContainer({ podSandboxId, config }));
    await runtime.startContainer({ containerId });
  });
  afterAll(async () => {
    const { items } = await oci.runtime.listPodSandbox({});
    for (const { id } of items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    await oci.stop();
    machine.remove();
  });

  const open = async (cmd: string[], requested: Partial<RemoteCommandStreams> = {}) => {
    const streams = { stdin: false, stdout: true, stderr: !requested.tty, tty: false, ...requested };
    const { url } = await oci.runtime.exec({ containerId, cmd, ...streams });
    const answered = await dialUpgrade({ target: new URL(url), method: 'POST', headers: openHeaders });
    if (answered.socket === undefined) throw new Error(await text(answered.answer));
    return openRemoteCommand(answered, streams);
  };

  it('has the environment of the container, both outputs and an exit code', async () => {
    const { stdout, stderr, ended, close } = await open(['sh', '-c', 'echo $COLOR; echo problem >&2; exit 4']);
    const [out, errors, status] = await Promise.all([stdout && text(stdout), stderr && text(stderr), ended]);
    close();
    expect([out, errors, parseCommandEnd(status)]).toEqual(['blue\n', 'problem\n', { exitCode: 4 }]);
  });

  it('reads the input of the client to its end', async () => {
    const { stdin, stdout, ended, close } = await open(['sh', '-c', 'cat; echo done'], { stdin: true, stderr: false });
    stdin?.end('typed\n');
    const [out, status] = await Promise.all([stdout && text(stdout), ended]);
    close();
    expect([out, parseCommandEnd(status)]).toEqual(['typed\ndone\n', { exitCode: 0 }]);
  });

  it('has a terminal on request', async () => {
    const { stdout, ended, close } = await open(['sh', '-c', 'test -t 0 && test -t 1 && echo terminal'], { tty: true, stdin: true });
    const [out, status] = await Promise.all([stdout && text(stdout), ended]);
    close();
    expect([out, parseCommandEnd(status)]).toEqual(['terminal\r\n', { exitCode: 0 }]);
  });

  it('gives all of a terminal, also what the command prints when it exits', async () => {
    const numbers = Array.from({ length: 2000 }, (_, index) => `${index + 1}\r\n`).join('');
    const { stdout, ended, close } = await open(['seq', '2000'], { tty: true });
    const [out, status] = await Promise.all([stdout && text(stdout), ended]);
    close();
    expect([out, parseCommandEnd(status)]).toEqual([numbers, { exitCode: 0 }]);
    const missing = await open(['no-such-program'], { tty: true });
    missing.stdout?.resume();
    const end = parseCommandEnd(await missing.ended);
    missing.close();
    expect(end).toMatchObject({ error: expect.stringMatching(/failed to exec in container: .*no-such-program/s) });
  });

  it('that cannot be started reports why', async () => {
    const { stdout, stderr, ended, close } = await open(['no-such-program']);
    stdout?.resume();
    stderr?.resume();
    const end = parseCommandEnd(await ended);
    close();
    expect(end).toMatchObject({ error: expect.stringMatching(/failed to exec in container: .*no-such-program/s) });
  });

  it('ends with its client', async () => {
    const { close } = await open(['sleep', '12345']);
    const processes = async () => {
      const { stdout } = await oci.runtime.execSync({ containerId, cmd: ['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "'] });
      return Buffer.from(stdout).toString();
    };
    await expect.poll(processes).toContain('sleep 12345');
    close();
    await expect.poll(processes).not.toContain('sleep 12345');
  });
});
