import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startContainerd } from '../support/containerd/containerd.js';
import { describeOnContainerd } from '../support/containerd/describe-on-containerd.js';
import { takeNetwork } from '../support/containerd/test-network.js';
import { run } from '../support/debian-package.js';

const abandon = fileURLToPath(new URL('../support/containerd/abandon-containerd.ts', import.meta.url));
/** The last ones, which no other test gets to. */
const [ofKilledRun, ofMachine, free] = [49, 48, 47];

const output = (command: string, args: string[]) => spawnSync(command, args, { encoding: 'utf8' }).stdout;
const commandLines = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });

describeOnContainerd('networks of tests', ['2', '1.6'], (binaries) => {
  it('the next holder of a network removes all that a killed run left in it', async () => {
    const leftovers = () => ({
      bridge: output('ip', ['-brief', 'link', 'show', 'type', 'bridge']).includes(`nae2e${ofKilledRun} `),
      hostPort: output('iptables-save', ['-t', 'nat']).includes(`nae2e${ofKilledRun}`),
      mounts: readFileSync('/proc/self/mountinfo', 'utf8').includes(`/nodeagent-e2e/${ofKilledRun}/`),
      processes: commandLines().some((line) => line.includes(`/nodeagent-e2e/${ofKilledRun}/`)),
    });
    const child = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), abandon, binaries.series, `${ofKilledRun}`], {
      encoding: 'utf8',
      env: { ...process.env, TSX_TSCONFIG_PATH: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)) },
    });
    expect(child.signal, child.stderr).toBe('SIGKILL');
    expect(leftovers()).toEqual({ bridge: true, hostPort: true, mounts: true, processes: true });
    const next = await startContainerd(binaries, { networks: [ofKilledRun] });
    expect(next.ctr('task', 'ls', '-q')).toBe('');
    expect(leftovers()).toMatchObject({ bridge: false, hostPort: false });
    await next.cleanup();
    expect(leftovers()).toEqual({ bridge: false, hostPort: false, mounts: false, processes: false });
  });

  it('a subnet that something else on the machine uses is left alone, even on a bridge without a carrier', async () => {
    const bridge = 'nae2eother';
    run('ip', ['link', 'add', bridge, 'type', 'bridge']);
    onTestFinished(() => run('ip', ['link', 'delete', bridge]));
    run('ip', ['address', 'add', `10.${200 + ofMachine}.7.1/24`, 'dev', bridge]);
    run('ip', ['link', 'set', bridge, 'up']);
    const network = await takeNetwork([ofMachine, free]);
    expect(network.number).toBe(free);
    await expect(takeNetwork([free])).rejects.toThrow(/none of the test networks 47 is free/);
    network.giveBack();
  });
});
