import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCriClient } from '@nodeagent/cri-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command } from '../support/agent/agent-process.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, type TestRuntime, testImage } from '../support/runtimes/private-runtime.js';

const sh = (script: string) => ({ image: testImage, command: ['sh', '-c', script] });
const pod = (name: string, spec: object) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
  spec: { terminationGracePeriodSeconds: 2, ...spec },
});

/** `nodeagent run POD.yaml --once`: what a user of `podman kube play --wait` sees. */
function suite({ start }: TestRuntime): void {
  let runtime: PrivateRuntime;
  let work: string;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-once-'));
    runtime = await start();
  });
  afterAll(() => runtime?.cleanup());
  cleanUpAfterAll({ 'the folder': () => removeFolder(work) });

  /** Runs the manifest to its end; the signal follows the first output. */
  async function runOnce(objects: readonly object[], signal?: NodeJS.Signals) {
    const manifest = join(work, 'manifest.json');
    writeFileSync(manifest, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const flags = ['--runtime-endpoint', runtime.endpoint, '--root-dir', join(work, 'root'), '--pod-logs-dir', join(work, 'logs')];
    const child = spawn(process.execPath, [command, 'run', manifest, '--once', '--healthz-port', '0', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
    if (signal !== undefined) child.stdout.once('data', () => child.kill(signal));
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, ...output };
  }

  /** What runs left in the runtime. */
  async function leftovers() {
    const client = createCriClient({ endpoint: runtime.endpoint });
    try {
      return (await client.runtime.listPodSandbox({})).items;
    } finally {
      client.close();
    }
  }

  it('prints the logs of two containers and ends with the exit code of the failed one; restartPolicy Always is Never', async () => {
    const two = [
      { name: 'fails', ...sh('echo one; echo bad >&2; exit 7') },
      { name: 'works', ...sh('sleep 1; echo "level $LEVEL"'), envFrom: [{ configMapRef: { name: 'settings' } }] },
    ];
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { LEVEL: 'debug' } };
    const { code, stdout, stderr } = await runOnce([pod('two', { restartPolicy: 'Always', containers: two }), settings]);
    expect({ code, stderr }).toEqual({ code: 7, stderr: '[fails] bad\n' });
    expect(stdout.split('\n').sort()).toEqual(['', '[fails] one', '[works] level debug']);
    expect(await leftovers()).toEqual([]);
  });

  it('ends with the exit code of a failed init container, and runs no container', async () => {
    const initContainers = [{ name: 'setup', ...sh('echo cannot set up >&2; exit 4') }];
    const result = await runOnce([
      pod('init', { restartPolicy: 'Never', initContainers, containers: [{ name: 'main', ...sh('echo ran') }] }),
    ]);
    expect(result).toEqual({ code: 4, stdout: '', stderr: '[setup] cannot set up\n' });
    expect(await leftovers()).toEqual([]);
  });

  it('ends with 125 and the reason if the image cannot be pulled', async () => {
    const containers = [{ name: 'main', image: '127.0.0.1:1/absent:1' }];
    const { code, stdout, stderr } = await runOnce([pod('pull', { containers })]);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/^error: pod default\/pull-\S+: container main: (ErrImagePull|RegistryUnavailable): .*127\.0\.0\.1:1/m);
    expect(await leftovers()).toEqual([]);
  });

  it('stops and removes the pod at Ctrl-C', async () => {
    const untilSignal = 'trap "echo stopped; exit 0" TERM; echo started; while :; do sleep 0.1; done';
    const result = await runOnce([pod('interrupted', { containers: [{ name: 'main', ...sh(untilSignal) }] })], 'SIGINT');
    expect(result).toEqual({ code: 130, stdout: 'started\nstopped\n', stderr: '' });
    expect(await leftovers()).toEqual([]);
  });
}

describeOnRuntimes('nodeagent run --once', ['2', '1.6'], suite);
