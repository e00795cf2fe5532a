import { apiServerHelp, readApiServerFlags } from './flags/kube-apiserver-flags.js';
import { serveApiServer } from './kube-apiserver/serve-api-server.js';
import { apiServerSettings, type ClusterChoice } from './kube-apiserver/settings.js';
import { runStandIn } from './run-stand-in.js';

/** The stand-in of kube-apiserver. The script that starts it passes what the folder has beside an API server as the first argument, in JSON. */
await runStandIn(async ([choice = '{}', ...args]) => {
  const flags = readApiServerFlags(args);
  if (flags.isSet('help') || flags.isSet('h')) return apiServerHelp;
  if (flags.text('version') !== undefined) return 'Kubernetes v1.36.2\n';
  const { url, close } = await serveApiServer(apiServerSettings(flags), JSON.parse(choice) as ClusterChoice);
  process.stderr.write(`kube-apiserver stand-in serves on ${url}\n`);
  return close;
});
