// print-man-page.ts DATE: prints nodeagent(1) in roff, from the same help and flags that the command prints, as root sees them.
import { commandNames, commands, loadCommand } from '../src/commands.js';
import { manPage } from '../src/man-page.js';
import { version } from '../src/version.js';

const [date] = process.argv.slice(2);
if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) {
  console.error('usage: print-man-page.ts YYYY-MM-DD');
  process.exit(2);
}

const context = { env: {}, isRoot: true };
const named = await Promise.all(
  commandNames
    .filter((name) => 'load' in commands[name])
    .map(async (name) => {
      const command = await loadCommand(name);
      const actions = Object.entries(command.actions ?? {}).map(([action, each]) => [`${name} ${action}`, each] as const);
      return [[name, command] as const, ...actions];
    }),
);
const documented = named.flat().map(([name, command]) => ({ name, help: command.help(context), flags: command.flags(context) }));
const files = {
  '/etc/nodeagent/config.yaml': 'KubeletConfiguration that the systemd unit passes to "nodeagent run".',
  '/etc/default/nodeagent': 'NODEAGENT_OPTS, further flags of "nodeagent run" for the systemd unit.',
  '/var/lib/nodeagent': "The agent's root directory for root: lock, local socket, pods and their volumes.",
  '/var/lib/nodeagent/images': 'Images of "nodeagent image" for root, an OCI image layout.',
  '/etc/kubernetes/manifests': 'Default directory of static pod manifests.',
};
process.stdout.write(manPage({ version, date, commands: documented, files }));
