import { systemClock } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import { expect, it } from 'vitest';
import { boundedCri } from './bounded.js';
import { type CriRuntime, criMethods, wrapCri } from './methods.js';

const names = Object.keys(criMethods) as (keyof CriRuntime)[];

/** A runtime whose methods return their receiver, request and options, and the field that their response must have. */
function echoRuntime(): CriRuntime {
  const echo = (name: keyof CriRuntime) =>
    async function (this: CriRuntime, request: object, options?: CallOptions) {
      return { receiver: this, request, options, [criMethods[name].required ?? '']: 'x' };
    };
  return Object.fromEntries(names.map((name) => [name, echo(name)])) as unknown as CriRuntime;
}

it('wraps every method, under its name in the CRI', async () => {
  const seen: string[] = [];
  const runtime = echoRuntime();
  const wrapped = wrapCri(runtime, ({ name, kubeletName }, call) => {
    seen.push(`${name} ${kubeletName}`);
    return call;
  });
  expect(seen).toHaveLength(names.length);
  expect(seen).toContain('ListPodSandbox list_podsandbox');
  const [request, options] = [{}, {}];
  for (const name of names) expect(await wrapped[name](request as never, options)).toMatchObject({ receiver: runtime, request, options });
});

it('gives most calls the request timeout', async () => {
  const cri = boundedCri(echoRuntime(), { clock: systemClock, timeoutMs: 1_000 });
  const timeouts = await Promise.all(
    names.map(async (name) => {
      const { options } = (await cri[name]({ timeout: 5n } as never)) as { options?: CallOptions };
      return [name, options?.timeoutMs] as const;
    }),
  );
  const others = timeouts.filter(([, timeoutMs]) => timeoutMs !== 1_000);
  expect(Object.fromEntries(others)).toEqual({ runPodSandbox: 2_000, stopContainer: 6_000, execSync: 0 });
});

it.each(names.filter((name) => criMethods[name].required))('rejects a response to %s without its required field', async (name) => {
  const cri = boundedCri({ ...echoRuntime(), [name]: async () => ({}) }, { clock: systemClock, timeoutMs: 1_000 });
  await expect(cri[name]({} as never)).rejects.toThrow("the runtime's response has no");
});
