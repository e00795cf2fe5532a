import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectKubeClient, loadKubeconfig } from '@nodeagent/kube-client/node';
import { buildPod } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../main.js';
import { createTestConsole } from '../test-console.js';

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-dev-'));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

const waitOptions = { timeout: 30_000, interval: 50 };

describe('nodeagent dev', () => {
  it('runs pods of its API server, prints what to type next, and stops all at Ctrl-C', async () => {
    const { console, stdout, end } = createTestConsole();
    const code = main(['dev', '--root-dir', rootDir, '--node-name', 'dev-node', '--output', 'log'], console);
    const kubeconfig = join(rootDir, 'admin.kubeconfig');
    await expect.poll(() => stdout.text, waitOptions).toContain(`export KUBECONFIG=${kubeconfig}\n`);
    expect(stdout.text).toContain('kubectl apply -f FILE');
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);

    try {
      const client = connectKubeClient({ cluster: await loadKubeconfig({ path: kubeconfig }), userAgent: 'test' });
      const { spec } = buildPod({ name: 'hello', terminationGracePeriodSeconds: 0, containers: ['host'] });
      const command = ['sh', '-c', 'exec sleep 1000'];
      const containers = [{ name: 'main', image: 'host', command }];
      await expect.poll(() => stdout.text, waitOptions).toContain('NodeReady');
      const { nodeName: _, ...unbound } = { ...spec, containers };
      await client.pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'hello', namespace: 'default' }, spec: unbound });
      const pod = async () => client.pods.get({ name: 'hello', namespace: 'default' });
      await expect.poll(async () => (await pod()).status?.phase, waitOptions).toBe('Running');
      expect((await pod()).spec?.nodeName).toBe('dev-node');
      client.closeConnections();
    } finally {
      end('SIGINT');
    }
    expect(await code).toBe(0);
    expect(stdout.text).toContain('all pods have stopped');
    expect(existsSync(kubeconfig)).toBe(false);
  });

  it('does not overwrite a kubeconfig of someone else', async () => {
    const file = join(rootDir, 'config');
    writeFileSync(file, 'mine');
    const { console, stderr } = createTestConsole();
    expect(await main(['dev', '--root-dir', rootDir, '--kubeconfig', file], console)).toBe(1);
    expect(stderr.text).toContain(
      `${file} exists and was not written by "nodeagent dev"\n  remove it, or set --kubeconfig to another file`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('names a port that is in use, with a way out', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as { port: number };
    const { console, stderr } = createTestConsole();
    expect(await main(['dev', '--root-dir', rootDir, '--port', `${port}`], console)).toBe(1);
    expect(stderr.text).toBe(
      `error: --port: the API server cannot listen on 127.0.0.1:${port}: the port is in use\n  set --port to another port, or leave it out for any free one\n`,
    );
    holder.close();
  });

  it.each([
    [['--port', '70000'], '--port: "70000" is not a port from 0 to 65535'],
    [['--nodename', 'x'], '--nodename'],
    [['--node-name', 'A B'], '--node-name: "A B" is not a DNS name'],
  ])('refuses %j', async (args, message) => {
    const { console, stderr } = createTestConsole();
    expect(await main(['dev', '--root-dir', rootDir, ...args], console)).toBe(2);
    expect(stderr.text).toContain(message);
    expect(stderr.text).toContain('see nodeagent dev --help');
  });
});
