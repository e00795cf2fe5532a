// with-node.mjs MAJOR COMMAND ARGS...: runs a command on another Node, such as `npm run with-node -- 24 npm run unit`. It exists because users
// have more than one Node, and npm's own `npx node@24` does not change the Node of programs that the command starts.
import { spawnSync } from 'node:child_process';
import { environmentWithNode, fetchNode } from './lib/fetch-node.mjs';
import { nodeVersions } from './lib/node-versions.mjs';

const [major, command, ...args] = process.argv.slice(2);
if (command === undefined || !Object.hasOwn(nodeVersions, major)) {
  console.error(`usage: npm run with-node -- ${Object.keys(nodeVersions).join('|')} COMMAND [ARGS...]`);
  process.exit(2);
}
const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: environmentWithNode(fetchNode(major)) });
if (error) console.error(`with-node: cannot run ${command}: ${error.message}`);
process.exit(status ?? 1);
