import { consoleWithFlags } from './console.js';
import { exitProcess } from './exit-process.js';
import { main } from './main.js';

/** The process of the `nodeagent` command, from its arguments to its exit code, with V8 flags that are already set. */
export async function runProcess(v8Flags: readonly string[]): Promise<void> {
  await exitProcess(await main(process.argv.slice(2), consoleWithFlags(v8Flags)));
}
