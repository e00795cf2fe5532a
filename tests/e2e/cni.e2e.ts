import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PodNetworks } from '@nodeagent/cni';
import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { installHostsPlugin } from '../../examples/cni-plugin/install-plugin.js';
import { provideCniPlugins } from '../support/cni/provide-cni-plugins.js';
import { hasCniPlugins, makeTestPodNetwork, nothingLeft, openPodNetworks, runIn } from '../support/cni/test-pod-network.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

const killed = fileURLToPath(new URL('../support/cni/pod-networks-process.ts', import.meta.url));
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));
const kills = Number(process.env.NODEAGENT_KILLS ?? 10);

const isRoot = process.getuid?.() === 0;
const isRequired = process.env.NODEAGENT_E2E === 'required';
const isSkipped = (!isRoot || !hasCniPlugins()) && !isRequired;
if (isSkipped) console.log("skipped: CNI plugins, because they need root and Debian's containernetworking-plugins");

const newPlugins = isSkipped ? undefined : provideCniPlugins(isRequired);

const hostsPlugin = (work: string) => [{ type: 'hosts', folder: join(work, 'hosts'), capabilities: { aliases: true } }];
const annotations = { 'kubernetes.io/ingress-bandwidth': '20M', 'kubernetes.io/egress-bandwidth': '20M' };
const podOf = (name: string) => ({ namespace: 'default', name, uid: name });
const serve = "require('net').createServer((s) => s.on('error', () => {}).end('hello from ' + s.localAddress)).listen(80, '::')";
const ask = (address: string) => `require('net').connect(80, '${address}').pipe(process.stdout)`;

/** Removes a network namespace without its attachments. */
function lose(netns: string): void {
  spawnSync('umount', [netns]);
  rmSync(netns);
}

/** A server in a pod, until the test has ended. */
async function serveIn(netns: string): Promise<ChildProcess> {
  const server = spawn('nsenter', [`--net=${netns}`, '--', process.execPath, '-e', `${serve}; console.log('listening')`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(server.stdout, 'data');
  return server;
}

describe.skipIf(isSkipped)('CNI plugins of Debian', () => {
  it.each(['plugins in Go alone', 'a plugin in TypeScript among them'])(
    'connects two pods and a host port, and leaves nothing behind, with %s',
    async (which) => {
      const isMixed = which.includes('TypeScript');
      const test = await makeTestPodNetwork(isMixed ? { extraPlugins: hostsPlugin } : {});
      let server: ChildProcess | undefined;
      try {
        if (isMixed) installHostsPlugin(join(test.folders.work, 'plugins'));
        const { cni, networks } = await openPodNetworks(test.folders);
        const hostPort = await freePort();
        const [web, client] = await Promise.all([
          networks.setUp({
            containerId: 'web',
            pod: podOf('web'),
            aliases: ['www'],
            portMappings: [{ containerPort: 80, hostPort }],
            annotations,
          }),
          networks.setUp({ containerId: 'client', pod: podOf('client'), annotations }),
        ]);
        expect([web.ips.length, client.ips.length, new Set([...web.ips, ...client.ips]).size]).toEqual([2, 2, 4]);
        server = await serveIn(web.netns);
        const [v4 = '', v6 = ''] = web.ips;
        expect(await runIn(client.netns, ask(v4))).toBe(`hello from ::ffff:${v4}`);
        expect(await runIn(client.netns, ask(v6))).toBe(`hello from ${v6}`);
        expect(await text(createConnection(hostPort, '127.0.0.1'))).toBe(`hello from ::ffff:${v4}`);
        expect(await runIn(client.netns, "console.log(require('os').networkInterfaces().lo[0].address)")).toBe('127.0.0.1');
        const present = test.leftovers();
        expect(present.interfaces).toHaveLength(2);
        expect(present.shapers).toHaveLength(2);
        expect(present.rules.some((rule) => rule.includes(`--dports ${hostPort}`))).toBe(true);
        expect(present.leases.map((lease) => lease.replaceAll('_', ':')).sort()).toEqual([...web.ips, ...client.ips].sort());
        expect([present.namespaces.length, present.attachments.length]).toEqual([2, 2]);
        if (isMixed) expect(readFileSync(join(test.folders.work, 'hosts/web-eth0'), 'utf8')).toBe(`${v4} web www\n${v6} web www\n`);
        await cni.check({ containerId: 'client', netns: client.netns });
        expect(await cni.status()).toEqual({ ready: true });
        expect(await cni.pluginVersions('bridge')).toContain('1.0.0');

        await networks.tearDown('client');
        await cni.stop();
        // After a restart, with another configuration.
        writeFileSync(test.configuration, JSON.stringify({ cniVersion: '1.0.0', name: 'other', type: 'loopback' }));
        const restarted = await openPodNetworks(test.folders);
        await restarted.networks.tearDown('web');
        await restarted.networks.tearDown('web');
        await restarted.cni.stop();
        expect(test.leftovers()).toEqual(nothingLeft);
        if (isMixed) expect(readdirSync(join(test.folders.work, 'hosts'))).toEqual([]);
      } finally {
        server?.kill('SIGKILL');
        await test.cleanUp();
      }
    },
  );

  it('removes the attachment of a namespace that no longer exists, as after a restart of the machine', async () => {
    // Without the namespace the bridge plugin, the newest too, does not find the addresses of its masquerading rules.
    const test = await makeTestPodNetwork({ ipMasq: false });
    try {
      const { cni, networks } = await openPodNetworks(test.folders);
      const { netns } = await networks.setUp({ containerId: 'web', pod: podOf('web') });
      lose(netns);
      await networks.recover(() => false);
      expect(test.leftovers()).toEqual(nothingLeft);
      await cni.stop();
    } finally {
      await test.cleanUp();
    }
  });

  it.skipIf(newPlugins === undefined)(
    'speaks CNI 1.1 with the plugins of the newest suite: STATUS, and GC of a lost attachment',
    async () => {
      const test = await makeTestPodNetwork({ cniVersion: '1.1.0', pluginDir: newPlugins ?? '', ipMasq: false });
      const { work } = test.folders;
      const hosts = join(work, 'hosts');
      const setUp = async (networks: PodNetworks, name: string) => {
        const portMappings = [{ containerPort: 80, hostPort: await freePort() }];
        return networks.setUp({ containerId: name, pod: podOf(name), portMappings, annotations });
      };
      try {
        // The plugins of Debian ignore GC, this one does not.
        installHostsPlugin(join(work, 'plugins'));
        const names = { cniVersion: '1.1.0', name: 'names', plugins: [{ type: 'loopback' }, ...hostsPlugin(work)] };
        writeFileSync(join(work, 'net.d/20-names.conflist'), JSON.stringify(names));
        const { cni, networks } = await openPodNetworks(test.folders);
        expect(await cni.pluginVersions('bridge')).toContain('1.1.0');
        const { netns, result } = await setUp(networks, 'web');
        expect([result.cniVersion, result.ips?.length]).toEqual(['1.1.0', 2]);
        await cni.add({ containerId: 'web', netns, network: 'names' });
        expect(await cni.status()).toEqual({ ready: true });
        // The bridge plugin asks the plugin of its addresses.
        const status = '[ "$CNI_COMMAND" != STATUS ] || { echo \'{"code":50,"msg":"no addresses left"}\'; exit 1; }';
        writeFileSync(join(work, 'plugins/host-local'), `#!/bin/sh\n${status}\nexec ${newPlugins}/host-local\n`, { mode: 0o755 });
        expect(await cni.status()).toMatchObject({
          ready: false,
          message: expect.stringMatching(/^plugin type="bridge".*no addresses left$/),
        });

        const valid = test.leftovers();
        lose((await setUp(networks, 'lost')).netns);
        writeFileSync(join(hosts, 'uncached-eth0'), '');
        await cni.gc(({ containerId }) => containerId === 'web');
        expect(test.leftovers()).toEqual(valid);
        expect(readdirSync(hosts)).toEqual(['web-eth0']);
        await cni.check({ containerId: 'web', netns });
        await networks.tearDown('web');
        await cni.stop();
        expect(test.leftovers()).toEqual(nothingLeft);
        expect(readdirSync(hosts)).toEqual([]);
      } finally {
        await test.cleanUp();
      }
    },
  );

  it('leaves nothing behind when a plugin of the chain fails', async () => {
    const test = await makeTestPodNetwork({ extraPlugins: () => [{ type: 'broken' }] });
    try {
      const script = '#!/bin/sh\n[ "$CNI_COMMAND" = DEL ] || { echo \'{"code":100,"msg":"out of order"}\'; exit 1; }\n';
      writeFileSync(join(test.folders.work, 'plugins/broken'), script, { mode: 0o755 });
      const { cni, networks } = await openPodNetworks(test.folders);
      await expect(networks.setUp({ containerId: 'web', pod: podOf('web') })).rejects.toThrow(
        `failed to setup network for sandbox "web": plugin type="broken" name="${test.network.bridge}net" failed (add): out of order`,
      );
      expect(test.leftovers()).toEqual(nothingLeft);
      await cni.stop();
    } finally {
      await test.cleanUp();
    }
  });

  it(`after ${kills} kills exactly the recorded pods have networks, and in the end nothing is left`, async () => {
    const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000);
    const random = seededRandom(seed);
    console.log(`seed ${seed}: SIMULATION_SEED=${seed}`);
    const test = await makeTestPodNetwork();
    const records = () => {
      const folder = join(test.folders.work, 'sandboxes');
      return existsSync(folder) ? readdirSync(folder).sort() : [];
    };
    async function recover(inUse = records()): Promise<void> {
      const { cni, networks } = await openPodNetworks(test.folders);
      await networks.recover((containerId) => inUse.includes(containerId));
      await cni.stop();
    }
    try {
      let recovered = 0;
      // A slow machine kills most of them before they have recorded a pod.
      for (let done = 0; done < kills || records().length === 0; done++) {
        const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), killed, JSON.stringify(test.folders)], {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { ...process.env, TSX_TSCONFIG_PATH: tsconfig },
        });
        const exited = once(child, 'exit');
        let output = '';
        child.stdout.on('data', (chunk) => {
          output += chunk;
        });
        await until('the process to start', async () => output.includes('started'));
        await sleep(random() * 1_800);
        child.kill('SIGKILL');
        const [, signal] = await exited;
        expect(signal, 'the process ended before it was killed').toBe('SIGKILL');
        if (output.includes('recovered')) recovered++;
        // At once: plugins of the killed process still run.
        if (random() < 0.5) await recover();
      }
      console.log(`killed ${kills} times, ${recovered} of them after the recovery; ${records().length} pods are recorded`);
      await recover();
      const present = test.leftovers();
      expect(present.namespaces.sort()).toEqual(records().map((name) => `${test.folders.prefix}${name}`));
      expect([present.attachments.length, present.leases.length]).toEqual([records().length, 2 * records().length]);
      expect(records().length).toBeGreaterThan(0);
      for (const containerId of records()) {
        const addresses = await runIn(
          `/run/netns/${test.folders.prefix}${containerId}`,
          "console.log(require('os').networkInterfaces().eth0.length)",
        );
        expect(Number(addresses)).toBeGreaterThanOrEqual(2);
      }
      await recover([]);
      expect(test.leftovers()).toEqual(nothingLeft);
    } finally {
      await test.cleanUp();
    }
  });
});
