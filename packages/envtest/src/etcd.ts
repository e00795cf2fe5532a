import { etcdVersion, serveEtcd } from './etcd/serve-etcd.js';
import { etcdHelp, readEtcdFlags } from './flags/etcd-flags.js';
import { runStandIn } from './run-stand-in.js';

/** The stand-in of etcd. */
const run = async (args: string[]) => {
  const flags = readEtcdFlags(args);
  if (flags.isSet('help') || flags.isSet('h')) return etcdHelp;
  if (flags.isSet('version')) return `etcd Version: ${etcdVersion}\n`;
  const { close } = await serveEtcd(flags);
  return close;
};

await runStandIn(run, { prefix: '', exitCode: 2 });
