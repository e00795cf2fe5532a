import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createCriClient } from '@nodeagent/cri-client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AgentProcess, command, startAgent, startCommand } from '../support/agent/agent-process.js';
import { cgroupPaths, removeEmptyCgroup } from '../support/agent/cgroup-roots.js';
import { examplePods } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { hasCniPlugins } from '../support/cni/test-pod-network.js';
import { buildBusyboxImage } from '../support/containerd/busybox-image.js';
import { skipped } from '../support/containerd/describe-on-containerd.js';
import { missingOciPrograms } from '../support/oci/provide-oci-programs.js';
import { writeUsableCrun } from '../support/oci/usable-crun.js';
import { removeFolder } from '../support/remove-folder.js';
import { until } from '../support/until.js';

const isInstalled = (program: string) => spawnSync('which', [program]).status === 0;

/** Programs that the runtime and CNI plugins run, as a PATH with some of them only. */
const programs = ['conmon', 'catatonit', 'iptables', 'unshare', 'nsenter', 'ip', 'runc'];

/** A folder with links to all programs of the machine but `conmon`, `crun` and `runc`, and those of the names. */
function pathWith(folder: string, ...names: string[]): string {
  const path = join(folder, ['bin', ...names].join('-'));
  mkdirSync(path);
  for (const from of ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']) {
    for (const name of existsSync(from) ? readdirSync(from) : []) {
      const isLeftOut = ['conmon', 'crun', 'runc'].includes(name) && !names.includes(name);
      if (!isLeftOut && !existsSync(join(path, name))) symlinkSync(join(from, name), join(path, name));
    }
  }
  return path;
}

/** The command on the OCI runtime of this machine, and without it. */
function suite(): void {
  let work: string;
  let root: string;
  let manifests: string;
  let logs: string;
  let agent: AgentProcess | undefined;

  const flags = () => ['--manifests', manifests, '--root-dir', root, '--pod-logs-dir', logs, '--node-name', 'e2e'];
  /** crun on a machine that it refuses: without the mount that it dislikes. */
  const crunFirst = () => ({ ...process.env, PATH: `${work}:${process.env.PATH}` });
  const launch = (...more: string[]) => startAgent([...flags(), ...more], { env: crunFirst() });
  const allRun = async (started: AgentProcess) => {
    for (const name of ['hello', 'with-sidecar', 'restarting', 'steady'])
      await started.line(`${name} Running`, ({ pod, msg }) => pod === `default/${name}-e2e` && msg === 'phase Running');
  };
  const sandboxes = () => readdirSync(join(root, 'oci/sandboxes'));
  const logOf = (pod: string) => {
    const [folder = ''] = readdirSync(logs).filter((name) => name.startsWith(`default_${pod}-e2e_`));
    const [container = ''] = readdirSync(join(logs, folder));
    return readFileSync(join(logs, folder, container, '0.log'), 'utf8');
  };

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-oci-command-'));
    [root, manifests, logs] = ['root', 'manifests', 'logs'].map((name) => join(work, name)) as [string, string, string];
    cpSync(examplePods, manifests, { recursive: true });
    writeUsableCrun(work);
  });
  cleanUpAfterAll({
    'the agent': () => agent?.end('SIGKILL'),
    'the pods': async () => {
      writeFileSync(join(work, 'none.yaml'), '');
      const last = startAgent([...flags(), '--manifests', join(work, 'none.yaml'), '--runtime-endpoint', 'process'], { env: crunFirst() });
      await last.line('ready', ({ msg }) => msg.startsWith('pods from'));
      await last.end('SIGTERM');
    },
    'the folder': () => removeFolder(work),
  });

  it('without conmon runs the pods as plain processes, and names what is missing', async () => {
    const env = { ...process.env, PATH: pathWith(work, 'runc') };
    agent = startAgent(flags(), { env });
    const { msg } = await agent.line('the choice', ({ msg }) => msg.startsWith('pods run'));
    expect(msg).toMatch(/^pods run as plain processes, without isolation: containers need conmon \(.*\bconmon\)$/);
    await allRun(agent);
    expect(existsSync(join(root, 'oci'))).toBe(false);
    expect(await agent.end('SIGTERM')).toBe(0);

    const refused = spawnSync(process.execPath, [command, 'run', '--runtime-endpoint', 'oci', ...flags()], { env, encoding: 'utf8' });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/^error: --runtime-endpoint: oci: containers need conmon\n {2}.*\bconmon\n$/m);
  });

  it('runs the example pods in containers, which the end of the agent leaves running', async () => {
    agent = launch();
    const { msg } = await agent.line('the choice', ({ msg }) => msg.startsWith('pods run'));
    expect(msg).toMatch(/^pods run in containers of crun \d/);
    await allRun(agent);
    expect(logOf('hello')).toContain('hello from hello-e2e on e2e');
    const before = sandboxes();
    expect(before).toHaveLength(4);
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(sandboxes()).toEqual(before);

    agent = launch();
    await allRun(agent);
    expect(sandboxes()).toEqual(before);
    expect(agent.lines.filter(({ msg, pod }) => /^(Started|Killing)/.test(msg) && pod !== 'default/restarting-e2e')).toEqual([]);
    await agent.end('SIGKILL');
  });

  it('on plain processes removes the pods that run in containers', async () => {
    agent = launch('--runtime-endpoint', 'process');
    await allRun(agent);
    expect(sandboxes()).toEqual([]);
    await agent.end('SIGKILL');
  });

  it('in containers ends the processes of a killed agent, and --stop-pods-on-exit leaves nothing', async () => {
    agent = launch('--runtime-endpoint', 'oci', '--stop-pods-on-exit');
    await allRun(agent);
    expect(existsSync(join(root, 'runtime'))).toBe(false);
    expect(sandboxes()).toHaveLength(4);
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(['sandboxes', 'containers', 'runtime', 'exits'].flatMap((name) => readdirSync(join(root, 'oci', name)))).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(join(root, 'oci'));
    expect(readdirSync(join(root, 'pods'))).toEqual([]);
  });

  it('runs a pod of an image that "nodeagent image" has imported', async () => {
    const archive = buildBusyboxImage(join(work, 'image'), 'docker.io/library/busybox:1', ['sh']);
    const imported = spawnSync(process.execPath, [command, 'image', 'import', archive, '--root', join(root, 'images')], {
      encoding: 'utf8',
    });
    expect([imported.status, imported.stderr]).toEqual([0, '']);
    const file = join(work, 'pod.yaml');
    writeFileSync(
      file,
      `apiVersion: v1
kind: Pod
metadata:
  name: isolated
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: main
      image: busybox:1
      imagePullPolicy: Never
      command: [sh, -c, "hostname; ls /; ip -o -4 addr show eth0; exec sleep 1000"]
`,
    );
    agent = launch('--manifests', file, '--stop-pods-on-exit');
    await agent.line('Running', ({ pod, msg }) => pod === 'default/isolated-e2e' && msg === 'phase Running');
    await until('its output', async () => logOf('isolated').includes('eth0'));
    expect(logOf('isolated')).toMatch(/F isolated-e2e\n/);
    expect(logOf('isolated')).not.toContain('F root\n');
    expect(logOf('isolated')).toMatch(/inet 10\.\d+\.\d+\.\d+\/24/);
    expect(await agent.end('SIGTERM')).toBe(0);
  });

  it('serves the runtime on a CRI socket, and adopts its containers after a restart', async () => {
    const socket = join(work, 'cri.sock');
    const args = ['--type', 'oci', '--socket', socket, '--root-dir', join(work, 'served'), '--default-network'];
    const serve = async () => {
      const served = startCommand(['runtime', ...args], { env: crunFirst() });
      await served.line('the socket', ({ msg }) => msg.includes('serving CRI'));
      return served;
    };
    const cgroupParent = `/${basename(work)}`;
    let served = await serve();
    const cri = createCriClient({ endpoint: `unix://${socket}` });
    onTestFinished(async () => {
      cri.close();
      await served.end('SIGKILL');
      for (const path of cgroupPaths(basename(work))) removeEmptyCgroup(path);
    });
    expect(served.lines[0]?.msg).toContain('pods run in containers of crun ');
    expect(await cri.runtime.version({})).toMatchObject({ runtimeName: 'nodeagent-oci', runtimeApiVersion: 'v1' });
    expect((await cri.runtime.status({})).status?.conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['RuntimeReady', true],
      ['NetworkReady', true],
    ]);
    const pod = { metadata: { name: 'served', namespace: 'default', uid: 'u1', attempt: 0 }, hostname: 'served', linux: { cgroupParent } };
    const { podSandboxId } = await cri.runtime.runPodSandbox({ config: { ...pod, logDirectory: join(work, 'served-logs') } });
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'host' }, command: ['sleep', '1000'], logPath: 'main.log' };
    const { containerId } = await cri.runtime.createContainer({ podSandboxId, config });
    await cri.runtime.startContainer({ containerId });

    expect(await served.end('SIGTERM')).toBe(0);
    expect(existsSync(socket)).toBe(false);
    served = await serve();
    const { stdout } = await cri.runtime.execSync({ containerId, cmd: ['hostname'], timeout: 10n });
    expect(Buffer.from(stdout).toString()).toBe('served\n');
    await cri.runtime.removePodSandbox({ podSandboxId });
    expect(readdirSync(join(work, 'served/sandboxes'))).toEqual([]);
    expect(await served.end('SIGTERM')).toBe(0);
  });

  it('checks the machine', () => {
    const doctor = (env: NodeJS.ProcessEnv) => {
      const { status, stdout } = spawnSync(process.execPath, [command, 'doctor', '--root-dir', root, '-o', 'json'], {
        env,
        encoding: 'utf8',
      });
      return { status, ...JSON.parse(stdout) };
    };
    expect(doctor(crunFirst())).toMatchObject({ status: 0, runtime: { type: 'oci' } });
    const { status, checks, runtime } = doctor({ ...process.env, PATH: join(work, 'bin-runc') });
    expect([status, runtime.type]).toEqual([1, 'process']);
    expect(checks.filter(({ status }: { status: string }) => status === 'error').map(({ name }: { name: string }) => name)).toEqual([
      'conmon',
    ]);
  });
}

const missing = [...missingOciPrograms(), ...programs.filter((name) => !isInstalled(name)), ...(hasCniPlugins() ? [] : ['CNI plugins'])];
if (process.getuid?.() !== 0) skipped('the command on the OCI runtime', 'it needs root');
else if (missing.length > 0) skipped('the command on the OCI runtime', `${[...new Set(missing)].join(', ')} are missing`);
else describe('the command on the OCI runtime', suite);
