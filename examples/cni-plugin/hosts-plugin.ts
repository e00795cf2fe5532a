import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CniPlugin, pluginError, type ServedCall } from '@nodeagent/cni';
import { serveCniPlugin } from '@nodeagent/cni/node';

/**
 * A chained plugin: keeps a file for each pod with its addresses and names, in the form of hosts(5). The names are the pod's name and, if the
 * configuration declares the capability, its `aliases`.
 */
const hostsPlugin: CniPlugin = {
  add(call) {
    const { prevResult } = call;
    if (prevResult === undefined) throw pluginError(7, 'the hosts plugin must follow another plugin');
    const names = [call.args.K8S_POD_NAME ?? call.containerId, ...(call.runtimeConfig.aliases ?? [])].join(' ');
    mkdirSync(folderOf(call), { recursive: true });
    writeFileSync(fileOf(call), (prevResult.ips ?? []).map(({ address }) => `${address.split('/')[0]} ${names}\n`).join(''));
    return prevResult;
  },
  del(call) {
    rmSync(fileOf(call), { force: true });
  },
  check(call) {
    const addresses = (call.prevResult?.ips ?? []).map(({ address }) => address.split('/')[0] ?? '');
    const text = readFileSync(fileOf(call), 'utf8');
    const missing = addresses.find((address) => !text.includes(`${address} `));
    if (missing !== undefined) throw pluginError(100, `${fileOf(call)} lacks ${missing}`);
  },
  gc(call) {
    const valid = new Set(call.validAttachments.map(({ containerID, ifname }) => `${containerID}-${ifname}`));
    mkdirSync(folderOf(call), { recursive: true });
    for (const file of readdirSync(folderOf(call))) if (!valid.has(file)) rmSync(join(folderOf(call), file));
  },
};

/** `folder` of the configuration. */
function folderOf({ config }: Pick<ServedCall, 'config'>): string {
  if (typeof config.folder !== 'string') throw pluginError(7, 'folder must be a path');
  return config.folder;
}

const fileOf = (call: ServedCall) => join(folderOf(call), `${call.containerId}-${call.ifName}`);

await serveCniPlugin(hostsPlugin);
