import { type Mutant, mutantsOf } from '../mutant.js';

/** Mutants of the packages for test doubles and compliance suites. */
export const testPackageMutants: readonly Mutant[] = [
  ...mutantsOf(
    'compliance',
    ['condition-that-never-holds', 'support/waiting.ts', 'assert.fail(', 'String('],
    [
      'monotonic-time-may-stop',
      'clock/clock-suite.ts',
      "assert.ok(clock.monotonic() - monotonic >= shortMs - toleranceMs, 'monotonic() moves');",
      '',
    ],
    ['listeners-of-a-sleep-may-stay', 'clock/clock-suite.ts', "assert.equal(getEventListeners(signal, 'abort').length, 0);", ''],
    [
      'failed-cases-pass',
      'suite/run-suite.ts',
      'results.push({ name, skipped: false, error });',
      'results.push({ name, skipped: false });',
    ],
    [
      'events-of-unchanged-pods',
      'pleg/relist-cases.ts',
      '    calls.length = 0;\n    await relist();\n    assert.deepEqual(events(), []);',
      '    calls.length = 0;\n    await relist();',
    ],
  ),
  ...mutantsOf(
    'memory-runtime',
    ['timers-outlive-the-container', 'container-runner.ts', 'for (const timer of container.timers) timer.cancel();', ''],
    [
      'removed-image-keeps-its-tags',
      'image-store.ts',
      '[record.id, ...record.repoTags, ...record.repoDigests]) this.#byName.delete',
      '[record.id, ...record.repoDigests]) this.#byName.delete',
    ],
    [
      'calls-in-flight-survive-a-crash',
      'calls.ts',
      "    for (const controller of this.#waiting) controller.abort(criError('CRI_UNAVAILABLE', 'error reading from server: EOF'));\n",
      '',
    ],
  ),
  ...mutantsOf(
    'process-runtime',
    ['line-of-the-limit-is-partial', 'cri-log.ts', 'while (heldBytes + rest.length > limit)', 'while (heldBytes + rest.length >= limit)'],
    ['kills-pids-of-an-earlier-boot', 'recovery.ts', 'process !== undefined && startedIn === bootId ?', 'process !== undefined ?'],
    ['stop-signal-twice', 'container-run.ts', '        this.#isStopping = true;\n', ''],
  ),
  ...mutantsOf(
    'test-api-server',
    [
      'node-updates-pods-of-others',
      'access/node-rules/pod-rules.ts',
      '((before ?? object) as Pod).spec?.nodeName === node ?',
      'node === node ?',
    ],
    [
      'watch-from-a-dropped-revision',
      'store/history.ts',
      '    if (revision < this.#forgotten) return undefined;\n    const first',
      '    const first',
    ],
    ['deletions-of-other-objects', 'requests/watch.ts', 'return before ? { type, object } : undefined;', 'return { type, object };'],
  ),
  ...mutantsOf(
    'test-cluster',
    [
      'answers-pass-a-partition',
      'node-link.ts',
      '      if (partition) await pass(request.signal);\n      return typeof',
      '      return typeof',
    ],
    ['killed-agent-calls', 'agent-process.ts', '            if (!isAlive) return never();\n', ''],
    ['timers-survive-a-kill', 'agent-process.ts', 'for (const timer of timers) timer.cancel();', ''],
  ),
  ...mutantsOf('testing', [
    'later-timer-first',
    'clock/timer-heap.ts',
    'a.at === b.at && a.order < b.order',
    'a.at === b.at && a.order > b.order',
  ]),
];
