import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { canRunContainers, createTestMachine } from './test-machine.js';

const kills = 10;
const maxDelayMs = 1_500;
const cgroups = existsSync('/sys/fs/cgroup/memory') ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup';
const seed = Date.now() % 1_000_000;
let state = seed;
/** Numbers in [0, 1) that follow from the seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

it.runIf(canRunContainers)(
  `has what runs, and no more, after ${kills} kills of the agent (seed ${seed})`,
  { timeout: 180_000 },
  async () => {
    const machine = createTestMachine();
    const { folder } = machine;
    const root = join(folder, 'state');
    const program = join(folder, 'program.cjs');
    const entryPoint = fileURLToPath(new URL('test-killed-agent.ts', import.meta.url));
    await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });

    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      const [text] = await Promise.race([once(child.stdout, 'data'), exited]);
      expect(String(text)).toBe('started\n');
      await new Promise((resolve) => setTimeout(resolve, random() * maxDelayMs));
      child.kill('SIGKILL');
      expect(await exited, 'the agent ends by the kill').toEqual([null, 'SIGKILL']);
    }

    const { start, stop, runtime } = machine.create();
    await start();
    const { items } = await runtime.listPodSandbox({});
    const { containers } = await runtime.listContainers({});
    const sandboxes = items.map(({ id }) => id);
    const running = containers.filter(({ state }) => state !== 'CONTAINER_EXITED').map(({ id }) => id);
    const ready = items.filter((item) => item.state === 'SANDBOX_READY').map(({ id }) => id);
    expect(idsIn(join(root, 'sandboxes'))).toEqual([...sandboxes].sort());
    expect(idsIn(join(root, 'containers'))).toEqual(containers.map(({ id }) => id).sort());
    expect(idsIn(join(root, 'runtime')).filter((id) => !sandboxes.includes(id))).toEqual(running.sort());
    expect(monitored(root)).toEqual(running);
    expect(idsIn(join(cgroups, machine.cgroupParent)).filter((id) => !sandboxes.includes(id))).toEqual(running);
    expect(networksOf(root)).toEqual(ready.sort());
    const mounted = mountedImages(root);
    expect(mounted.filter((id) => !containers.some((container) => container.id === id))).toEqual([]);
    expect(running.filter((id) => !mounted.includes(id))).toEqual([]);

    for (const id of sandboxes) await runtime.removePodSandbox({ podSandboxId: id });
    await stop();
    expect([
      idsIn(join(root, 'sandboxes')),
      idsIn(join(root, 'containers')),
      idsIn(join(root, 'runtime')),
      readdirSync(join(root, 'exits')),
    ]).toEqual([[], [], [], []]);
    expect(mountedImages(root)).toEqual([]);
    expect(monitored(root)).toEqual([]);
    expect(networksOf(root)).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    machine.remove();
  },
);

const idsIn = (path: string) =>
  existsSync(path)
    ? readdirSync(path)
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .sort()
    : [];

/** The containers that have a root file system or a volume of an image. */
const mountedImages = (root: string) => {
  const names = readdirSync(join(root, 'images/mounts'));
  return [...new Set(names.map((name) => /[0-9a-f]{64}/.exec(name)?.[0] ?? name))];
};

/** The containers whose conmon runs. */
function monitored(root: string): string[] {
  const found = readdirSync('/proc').flatMap((pid) => {
    const path = `/proc/${pid}/cmdline`;
    const args = /^\d+$/.test(pid) && existsSync(path) ? readFileSync(path, 'utf8').split('\0') : [];
    return args[0] === 'conmon' || args[0]?.endsWith('/conmon') ? [args] : [];
  });
  const ours = found.filter((args) => args.some((arg) => arg.startsWith(`${root}/`)));
  return [...new Set(ours.map((args) => args[args.indexOf('--cid') + 1] ?? ''))].sort();
}

function networksOf(root: string): string[] {
  const prefix = `nodeagent-${createHash('sha256').update(root).digest('hex').slice(0, 8)}-`;
  const names = readdirSync('/run/netns').filter((name) => name.startsWith(prefix));
  return names.map((name) => name.slice(prefix.length)).sort();
}
