/**
 * A CNI plugin in TypeScript, called in a chain as a container runtime calls it. The first plugin of the chain stands for one that makes
 * interfaces, such as bridge, which needs root.
 *     node_modules/.bin/tsx examples/cni-plugin/main.ts
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeCni } from '@nodeagent/cni/node';
import { installHostsPlugin } from './install-plugin.js';

const work = mkdtempSync(join(tmpdir(), 'cni-plugin-'));
const [configDir, plugins, hosts] = ['net.d', 'bin', 'hosts'].map((name) => join(work, name)) as [string, string, string];
for (const folder of [configDir, plugins]) mkdirSync(folder);

const network = {
  cniVersion: '1.1.0',
  name: 'demo',
  plugins: [{ type: 'fixed' }, { type: 'hosts', folder: hosts, capabilities: { aliases: true } }],
};
writeFileSync(join(configDir, '10-demo.conflist'), JSON.stringify(network));
const result = { cniVersion: '1.1.0', ips: [{ address: '10.1.0.5/16' }, { address: 'fd00::5/64' }] };
writeFileSync(join(plugins, 'fixed'), `#!/bin/sh\necho '${JSON.stringify(result)}'\n`, { mode: 0o755 });
installHostsPlugin(plugins);

const cni = createNodeCni({ configDir, pluginDirs: [plugins], cacheDir: join(work, 'cache') });
await cni.start();
console.log('status', await cni.status());
console.log('versions', (await cni.pluginVersions('hosts')).join(' '));

const attachment = { containerId: 'web-1', netns: '/run/netns/web-1' };
await cni.add({ ...attachment, args: [['K8S_POD_NAME', 'web']], capabilityArgs: { aliases: ['www'] } });
for (const file of readdirSync(hosts)) console.log(readFileSync(join(hosts, file), 'utf8').trim());

await cni.check(attachment);
writeFileSync(join(hosts, 'web-1-eth0'), '');
await cni.check(attachment).catch(({ message }) => console.log(message.replace(work, '')));

await cni.del(attachment);
console.log('files', readdirSync(hosts).length);
await cni.stop();
rmSync(work, { recursive: true });
