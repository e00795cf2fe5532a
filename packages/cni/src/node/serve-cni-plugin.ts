import { text } from 'node:stream/consumers';
import { answerCniCall, type CniPlugin } from '../plugin/answer-call.js';

/**
 * Makes this process a CNI plugin: answers the call of its environment and standard input on standard output, and sets the exit code. Log to
 * standard error.
 */
export async function serveCniPlugin(plugin: CniPlugin): Promise<void> {
  const { exitCode, stdout } = await answerCniCall(plugin, { env: process.env, stdin: await text(process.stdin) });
  process.exitCode = exitCode;
  process.stdout.write(stdout);
}
