import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withHeldPhases } from './passing.js';
import { runTraces } from './run.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { formatTrace } from './trace.js';

const simple = scenarios.filter(({ name }) => name === 'simple');
const reference = fileURLToPath(new URL('../reference/simple.json', import.meta.url));
let dir = '';

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'traces-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Runs with the given reference of the scenario `simple`. */
async function run(args: string[], text: string | undefined, among: readonly Scenario[] = simple) {
  rmSync(join(dir, 'simple.json'), { force: true });
  if (text !== undefined) writeFileSync(join(dir, 'simple.json'), text);
  const lines: string[] = [];
  const output = { log: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) };
  const code = await runTraces(['--runtime', 'memory', ...args], { scenarios: among, dir, output });
  return { code, lines };
}

const recorded = () => readFileSync(reference, 'utf8');

describe('a run', () => {
  it('agrees with the recording of a kubelet', async () => {
    expect(await run([], recorded())).toEqual({ code: 0, lines: ['simple agrees', '1/1 agree'] });
  });

  it.each([
    ['a field of a request', '"cpuShares":"2"', '"cpuShares":"3"', 'calls 4'],
    ['a call', '{"call":"startContainer","request":{"containerId":"<container1>"}},\n', '', 'calls 1'],
    ['an event', 'Stopping container c', 'Killing container c', 'events 2'],
    ['a step of the status', 'ready, started', 'started', 'status 4'],
  ])('sees %s that differs', async (_, from, to, what) => {
    const { code, lines } = await run([], recorded().replaceAll(from, to));
    expect(code).toBe(1);
    expect(lines[0]).toContain(`simple DIFFERS: ${what}\n`);
    expect(lines.at(-1)).toBe('0/1 agree');
  });

  it('agrees with container events too, which may skip outdated statuses', async () => {
    expect((await run(['--events'], recorded())).lines).toEqual(['simple agrees', '1/1 agree']);
    const steps = ['Pending; c waiting', 'Running; c running', 'Running; c terminated', 'Failed; c terminated'];
    expect(withHeldPhases(steps, ['Pending; c waiting', 'Pending; c terminated'])).toEqual(['Pending; c waiting', 'Running; c terminated']);
    expect(withHeldPhases(steps, ['Running; c running', 'Running; c terminated', 'Failed; c terminated'])).toEqual(steps.slice(1));
    expect(withHeldPhases(['Pending; c', 'Failed; d'], ['Pending; c', 'Pending; d', 'Failed; d'])).toEqual(['Pending; c', 'Failed; d']);
    expect(withHeldPhases(steps, ['Pending; c waiting', 'Failed; c running'])).toEqual(['Pending; c waiting', 'Failed; c running']);
  });

  it('shows the requested number of lines', async () => {
    const { lines } = await run(['--show', '1'], recorded().replaceAll('"cpuShares":"2"', '"cpuShares":"3"'));
    expect(lines[0]?.split('\n')).toEqual(['simple DIFFERS: calls 4', expect.stringMatching(/^ {2}calls - runPodSandbox /)]);
  });

  it('names a scenario without reference, a reference without scenario, and a scenario that fails', async () => {
    expect(await run([], undefined)).toEqual({ code: 1, lines: ['simple has no reference', '0/1 agree'] });
    expect(await run([], recorded(), [])).toEqual({ code: 1, lines: ['simple has no scenario', '0/1 agree'] });
    const broken = [{ name: 'simple', act: () => Promise.reject(new Error('oops')) }];
    expect(await run([], recorded(), broken)).toEqual({ code: 1, lines: ['simple FAILS: oops', '0/1 agree'] });
  });

  it.each([[['--show', 'x']], [['--restarts', '-1']], [['--nope']], [['--only', 'nothing*']], [['--runtime', 'docker']]])(
    'refuses %j with code 2',
    async (args) => {
      expect((await run(args, recorded())).code).toBe(2);
    },
  );

  it('kills the agent with --restarts instead of comparing', async () => {
    expect(await run(['--restarts', '1'], recorded())).toEqual({ code: 0, lines: ['simple survives', '1/1 survive'] });
    const untidy = [{ name: 'simple', act: () => Promise.reject(new Error('oops')) }];
    expect(await run(['--restarts', '1'], recorded(), untidy)).toEqual({ code: 1, lines: ['simple FAILS: oops', '0/1 survive'] });
  });

  it('prints its usage', async () => {
    const { code, lines } = await run(['--help'], recorded());
    expect([code, lines[0]]).toEqual([0, expect.stringContaining('usage: npm run traces')]);
  });
});

it('is deterministic', async () => {
  const [scenario] = scenarios.filter(({ name }) => name === 'init-sidecar-two');
  if (scenario === undefined) throw new Error('no such scenario');
  expect(formatTrace(await runScenario(scenario, 'listing'))).toBe(formatTrace(await runScenario(scenario, 'listing')));
});
