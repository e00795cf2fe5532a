import { errorHint, errorMessage } from '@nodeagent/api';

/**
 * Runs a program that prints a text, or serves until SIGINT or SIGTERM and then calls the function that it returned. An error ends it with the
 * exit code of the program for which it acts.
 */
export async function runStandIn(
  run: (args: string[]) => Promise<string | (() => unknown)>,
  { prefix = 'Error: ', exitCode = 1 } = {},
): Promise<void> {
  try {
    const result = await run(process.argv.slice(2));
    if (typeof result === 'string') process.stdout.write(result);
    else for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(result));
  } catch (error) {
    const hint = errorHint(error);
    process.stderr.write(`${prefix}${errorMessage(error)}${hint ? `: ${hint}` : ''}\n`);
    process.exitCode = exitCode;
  }
}

/** Does not wait for what a closed server left in the event loop, such as a call of a webhook. */
async function end(close: () => unknown): Promise<void> {
  await close();
  process.exit();
}
