/** More failures than this are not the doing of a busy machine. */
const maxFailures = 5;

/**
 * The failed steps that run once more, alone, after all others. Other steps fill the machine while a step waits for sockets, processes and
 * runtimes; what fails of that alone, too, has failed. Nothing is repeated if a step without such waits failed, or much.
 * @template {{ failed: number, step: { dependsOnSpeed?: boolean, tests?: readonly string[] }, failedFiles?: readonly string[] }} O
 * @param {readonly O[]} outcomes
 * @returns {{ outcome: O, step: O['step'] }[]} of a step of tests only the files with failed ones
 */
export function stepsToRepeat(outcomes) {
  const failed = outcomes.filter(({ failed }) => failed > 0);
  const count = failed.reduce((sum, outcome) => sum + outcome.failed, 0);
  if (count > maxFailures || failed.some(({ step }) => !step.dependsOnSpeed)) return [];
  return failed.map((outcome) => {
    const { step, failedFiles = [] } = outcome;
    return { outcome, step: failedFiles.length > 0 ? { ...step, tests: failedFiles } : step };
  });
}

/**
 * The outcome of a step after its repetition: only what failed alone counts as failed, and `failedBeside` has what did not.
 * @template {{ passed: number, failed: number, failures?: readonly string[], ending?: readonly string[] }} O
 * @param {O} first
 * @param {O} again
 * @returns {O & { failedBeside: readonly string[] }}
 */
export function afterRepetition(first, again) {
  const { failed, failures = [], ending = [] } = again;
  const failuresBefore = first.failures?.length ? first.failures : (first.ending ?? []);
  const passed = first.passed + Math.max(0, first.failed - failed);
  return { ...first, passed, failed, failures, ending, failedBeside: failed > 0 ? [] : failuresBefore };
}
