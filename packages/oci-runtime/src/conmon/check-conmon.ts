import { unsupportedPlatform } from '../errors.js';
import type { RunProgram } from '../programs.js';

/** What not each version has. */
const neededOptions = ['--full-attach', '--no-sync-log'];

/** @throws NodeAgentError UnsupportedPlatform for a conmon that is too old */
export async function checkConmon(path: string, run: RunProgram): Promise<void> {
  const { stdout } = await run(path, ['--help']);
  const missing = neededOptions.filter((option) => !stdout.includes(option));
  if (missing.length === 0) return;
  throw unsupportedPlatform(`cannot use ${path}: it has no option ${missing.join(' and ')}`, 'Install conmon 2.1 or later.');
}
