import { describe, it } from 'vitest';
import { type ContainerdBinaries, provideContainerd } from './provide-containerd.js';

/** Whether what a test needs must be there, as in CI: it then fails where it would be skipped. */
export const required = process.env.NODEAGENT_E2E === 'required';

type Series = ContainerdBinaries['series'];

/** A suite on a real containerd: the first of these series that is installed. Without one, or without root, it is skipped with the reason. */
export function describeOnContainerd(what: string, series: readonly Series[], suite: (binaries: ContainerdBinaries) => void): void {
  const isRoot = process.getuid?.() === 0;
  const { found } = isRoot ? provideContainerd(false) : { found: [] };
  const binaries = series.map((wanted) => found.find((each) => each.series === wanted)).find((each) => each !== undefined);
  if (binaries !== undefined) {
    describe(`${what} on containerd ${binaries.series}`, () => suite(binaries));
    return;
  }
  const name = `containerd ${series.join(' or ')}`;
  const why = isRoot ? `${name} is not installed: NODEAGENT_E2E=required npm test installs it on Debian` : 'it needs root';
  skipped(`${what} on ${name}`, why);
}

/** A suite that cannot run here: a failure where it must. */
export function skipped(name: string, why: string): void {
  it(name, (context) => {
    if (required) throw new Error(`${name} must be tested, but ${why}`);
    console.log(`skipped: ${name}, because ${why}`);
    context.skip();
  });
}
