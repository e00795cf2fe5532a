import { type Mutant, mutantsOf } from '../mutant.js';

/**
 * Mutants of promises about order: what is saved before it takes effect, what follows a cancel, what changes during a wait, and what was
 * granted instead of requested.
 */
export const promiseMutants: readonly Mutant[] = [
  ...mutantsOf(
    'allocation',
    ['resize-applies-before-it-is-saved', 'allocation-manager.ts', '    await allocations.grant(pod);', '    void allocations.grant(pod);'],
    [
      'admitted-before-it-is-saved',
      'allocation-manager.ts',
      '        await allocations.grant(granted);',
      '        void allocations.grant(granted);',
    ],
    [
      'allocation-applies-before-it-is-saved',
      'allocations.ts',
      'granted.set(podUid(pod), allocationOf(pod));',
      'allocations.set(podUid(pod), allocationOf(pod));',
    ],
    [
      'removed-pods-resize-is-decided',
      'allocation-manager.ts',
      '    if (!allocations.has(uid)) return false;\n    if (!decision.fits) {',
      '    if (!decision.fits) {',
    ],
    [
      'removed-pods-resize-is-started',
      'allocation-manager.ts',
      '    if (!allocations.has(uid)) return false;\n    conditions.accept',
      '    conditions.accept',
    ],
    ['removed-pods-resize-stays-in-the-round', 'allocation-manager.ts', '      if (!pending.has(podUid(each.pod))) continue;\n', ''],
    ['removed-pod-gets-its-allocation-back', 'allocations.ts', 'if (granted.get(uid) !== allocation) continue;', ''],
  ),
  ...mutantsOf('cri-client', [
    'cancelled-data-keeps-the-window',
    'transport/session.ts',
    '    const update = connectionWindow.consume(payload.length);\n    if (update > 0) frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(update));\n    const stream = streams.get(id);\n    if (stream === undefined) return;',
    '    const stream = streams.get(id);\n    if (stream === undefined) return;\n    const update = connectionWindow.consume(payload.length);\n    if (update > 0) frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(update));',
  ]),
  ...mutantsOf('container-logs', [
    'log-in-rotation-is-queued',
    'log-rotator.ts',
    'if (!busy.has(id)) waiting.add(id);',
    'waiting.add(id);',
  ]),
  ...mutantsOf(
    'core',
    [
      'cancelled-sync-prepares-on',
      'pods/pod-syncer.ts',
      '      await cgroups?.ensure(pod, status, observed);\n      signal.throwIfAborted();\n',
      '      await cgroups?.ensure(pod, status, observed);\n',
    ],
    ['cancelled-sync-calls-the-runtime', 'pods/pod-syncer.ts', '      signal.throwIfAborted();\n      probeManager', '      probeManager'],
    [
      'signals-abort-before-the-workers-stop',
      'agent-lifecycle.ts',
      '    const workers = c.podWorkers.stop();\n    ended.abort(reason);',
      '    ended.abort(reason);\n    const workers = c.podWorkers.stop();',
    ],
  ),
  ...mutantsOf(
    'device-manager',
    ['stopped-manager-follows-a-plugin', 'plugins.ts', '      until.throwIfAborted();\n', ''],
    ['given-before-they-are-saved', 'device-manager.ts', '    await saver.saved();\n    // The next', '    // The next'],
    [
      'unsaved-devices-are-given',
      'device-manager.ts',
      'if (hasChanged && saveError !== undefined) {',
      'if (hasChanged && saveError === null) {',
    ],
    ['regular-containers-devices-are-reused', 'device-manager.ts', 'isPlainInit ? ids.add(id) : ids.delete(id);', 'ids.add(id);'],
  ),
  ...mutantsOf('eviction', [
    'reclaim-ignores-the-minimum',
    'eviction-manager.ts',
    '{ enforceMinReclaim: true }',
    '{ enforceMinReclaim: false }',
  ]),
  ...mutantsOf('kube-client', [
    'failed-list-ignores-retry-after',
    'informer/next-step.ts',
    "return { do: 'list', version: step.version, wait: 'backoff', ...waitOf(end.error) };",
    "return { do: 'list', version: step.version, wait: 'backoff' };",
  ]),
  ...mutantsOf('pleg', [
    'failed-status-waits-for-the-relist',
    'evented-pleg.ts',
    '    for (const podUid of failed) this.#request(podUid, retry);\n',
    '',
  ]),
  ...mutantsOf(
    'process-runtime',
    ['exec-in-an-exited-container', 'containers.ts', '      requireRun();\n      return {', '      return {'],
    [
      'late-exec-outlives-the-container',
      'container-run.ts',
      '      if (exited) sendSignal(-process.pid, constants.signals.SIGKILL);\n    },',
      '    },',
    ],
  ),
  ...mutantsOf(
    'runtime-manager',
    ['sandbox-of-a-terminating-pod', 'sync-pod.ts', '  if (isTerminating()) return undefined;\n  const count', '  const count'],
    [
      'sandbox-after-its-claims',
      'pod-sandbox.ts',
      '  if (context.podState.isPodTerminationRequested(podUid(pod))) return undefined;\n',
      '',
    ],
    [
      'container-of-a-terminating-pod',
      'sync-pod.ts',
      'if (container === undefined || context.podState.isPodTerminationRequested(podUid(pod))) return undefined;',
      'if (container === undefined) return undefined;',
    ],
    ['container-exists-before-its-record', 'start-container.ts', '  await context.actuated.saved();\n', ''],
  ),
  ...mutantsOf('streaming', [
    'unread-stream-blocks-the-others',
    'spdy/session.ts',
    '    this.#onRoom();\n    if (!this.#isReset &&',
    '    if (!this.#isReset &&',
  ]),
  ...mutantsOf('test-api-server', [
    'overflowed-history-is-complete',
    'store/object-store.ts',
    '      this.#forgotten = cut.at(-1)?.revision ?? this.#forgotten;\n',
    '',
  ]),
  ...mutantsOf(
    'volume-manager',
    ['mounts-for-a-terminating-pod', 'reconciler/plan.ts', 'if (isTerminating(podUid)) continue;', ''],
    ['adds-volumes-of-a-terminating-pod', 'populator/populator.ts', '    if (isSkipped(uid)) return;\n', ''],
  ),
  ...mutantsOf('volume-plugins', [
    'refreshes-by-the-requested-lifetime',
    'tokens/token-manager.ts',
    'kept.set(key, { spec: fetched.spec,',
    'kept.set(key, { spec,',
  ]),
];
