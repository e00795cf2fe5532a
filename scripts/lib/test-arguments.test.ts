import { expect, it } from 'vitest';
import { answerInsteadOfRun, readTestArguments } from './test-arguments.mjs';

const steps = [
  { name: 'unit', title: 'unit tests' },
  { name: 'build' },
  { name: 'e2e', title: 'end to end' },
  { name: 'e2e-oci', title: 'end to end on the OCI runtime', nightly: true },
];

/** What a run with the arguments ends with before its first step. */
function answer(args: string[]) {
  const run = readTestArguments(args);
  return 'text' in run ? run : answerInsteadOfRun(run, steps);
}

it('lists the steps with one line each', () => {
  const help = answer(['--help']);
  expect(help?.exitCode).toBe(0);
  expect(help?.text).toContain(`Steps:
  unit     unit tests
  build    build
  e2e      end to end
  e2e-oci  end to end on the OCI runtime (only if named)
`);
});

it.each([
  [['unti'], 'no step "unti"; close to it: unit'],
  [['unit', 'oci'], 'no step "oci"; close to it: e2e-oci'],
  [['e2e-x'], 'no step "e2e-x"; close to it: e2e'],
  [['nothing-alike'], 'no step "nothing-alike"'],
  [['--without', 'network'], '--without must be root or containerd, not "network"'],
  [['--without', 'root', 'buidl'], 'no step "buidl" in a run without root; close to it: build'],
  [['--hlep'], "Unknown option '--hlep'"],
])('rejects %j with exit code 2 and the reason', (args, reason) => {
  const error = answer(args);
  expect(error?.exitCode).toBe(2);
  expect(error?.text.split('\n')[0]).toContain(`test: ${reason}`);
});

it('returns the steps and what the run is without', () => {
  expect(readTestArguments(['e2e', 'unit'])).toEqual({ without: undefined, help: false, wanted: ['e2e', 'unit'] });
  expect(readTestArguments(['--without=root', 'unit'])).toEqual({ without: 'root', help: false, wanted: ['unit'] });
  expect(answer(['e2e', 'unit'])).toBeUndefined();
});
