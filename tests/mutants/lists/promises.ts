import { type Mutant, mutantsOf } from '../mutant.js';

/**
 * Mutants of promises about order: what is saved before it takes effect, what follows a cancel, what changes during a wait, and what was
 * granted instead of requested.
 */
export const promiseMutants: readonly Mutant[] = [
  ...mutantsOf(
    'allocation',
    [
      'resize-applies-before-it-is-saved',
      'allocation-manager.ts',
      '    await this.#allocations.grant(pod);',
      '    void this.#allocations.grant(pod);',
    ],
    ['counts-as-saved-at-once', 'allocation-manager.ts', '    return this.#allocations.saved();', '    return Promise.resolve();'],
    [
      'allocation-applies-before-it-is-saved',
      'allocations.ts',
      'granted.set(podUid(pod), allocationOf(pod));',
      'allocations.set(podUid(pod), allocationOf(pod));',
    ],
    [
      'removed-pods-resize-is-decided',
      'allocation-manager.ts',
      '    if (!this.#allocations.has(uid)) return false;\n    if (!decision.fits) {',
      '    if (!decision.fits) {',
    ],
    [
      'removed-pods-resize-is-started',
      'allocation-manager.ts',
      '    if (!this.#allocations.has(uid)) return false;\n    this.#conditions.accept',
      '    this.#conditions.accept',
    ],
    ['removed-pods-resize-stays-in-the-round', 'allocation-manager.ts', '      if (!this.#pending.has(podUid(each.pod))) continue;\n', ''],
    ['removed-pod-gets-its-allocation-back', 'allocations.ts', 'if (granted.get(uid) !== allocation) continue;', ''],
  ),
  ...mutantsOf('grpc', [
    'cancelled-data-keeps-the-window',
    'client/session.ts',
    '    const update = this.#window.consume(payload.length);\n    if (update > 0) this.#frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(update));\n    const stream = this.#streams.get(id);\n    if (stream === undefined) return;',
    '    const stream = this.#streams.get(id);\n    if (stream === undefined) return;\n    const update = this.#window.consume(payload.length);\n    if (update > 0) this.#frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(update));',
  ]),
  ...mutantsOf('container-logs', [
    'log-in-rotation-is-queued',
    'log-rotator.ts',
    'if (!this.#busy.has(id)) this.#waiting.add(id);',
    'this.#waiting.add(id);',
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
    ['given-before-they-are-saved', 'device-allocator.ts', '    await saved.saved();\n    // The next', '    // The next'],
    [
      'unsaved-devices-are-given',
      'device-allocator.ts',
      'if (hasChanged && saved.error !== undefined) {',
      'if (hasChanged && saved.error === null) {',
    ],
    ['regular-containers-devices-are-reused', 'device-allocator.ts', 'isPlainInit ? ids.add(id) : ids.delete(id);', 'ids.add(id);'],
  ),
  ...mutantsOf('eviction', [
    'reclaim-ignores-the-minimum',
    'pressure-relief.ts',
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
    ['exec-in-an-exited-container', 'container.ts', '      this.#requireRun(run);\n      return {', '      return {'],
    [
      'late-exec-outlives-the-container',
      'container-run.ts',
      '    if (this.#hasExited) sendSignal(-process.pid, constants.signals.SIGKILL);\n  };',
      '  };',
    ],
  ),
  ...mutantsOf(
    'runtime-manager',
    [
      'sandbox-of-a-terminating-pod',
      'sync/sync-pod.ts',
      '  if (isTerminating()) return undefined;\n  recordResources',
      '  recordResources',
    ],
    [
      'sandbox-after-its-claims',
      'sync/pod-sandbox.ts',
      '  if (context.podState.isPodTerminationRequested(podUid(pod))) return undefined;\n',
      '',
    ],
    [
      'container-of-a-terminating-pod',
      'sync/sync-pod.ts',
      'if (container === undefined || context.podState.isPodTerminationRequested(podUid(pod))) return undefined;',
      'if (container === undefined) return undefined;',
    ],
    ['container-exists-before-its-record', 'sync/start-container.ts', '[context.actuated.saved(), ', '['],
    ['container-exists-before-its-allocation', 'sync/start-container.ts', ', context.options.allocationsSaved?.()]', ']'],
  ),
  ...mutantsOf('streaming', [
    'unread-stream-blocks-the-others',
    'spdy/stream.ts',
    '    this.#onRoom();\n    if (!this.#isReset &&',
    '    if (!this.#isReset &&',
  ]),
  ...mutantsOf('test-api-server', [
    'overflowed-history-is-complete',
    'store/history.ts',
    'this.#forgotten = this.#entries.splice(0, dropped).at(-1)?.revision ?? this.#forgotten;',
    'this.#entries.splice(0, dropped);',
  ]),
  ...mutantsOf(
    'volume-manager',
    ['mounts-for-a-terminating-pod', 'reconciler/plan.ts', 'if (isTerminating(podUid)) continue;', ''],
    ['adds-volumes-of-a-terminating-pod', 'populator/populator.ts', '    if (this.#isSkipped(podUid(pod))) return;\n', ''],
  ),
  ...mutantsOf('volume-plugins', [
    'refreshes-by-the-requested-lifetime',
    'tokens/token-manager.ts',
    'kept.set(key, { spec: { ...fetched.spec,',
    'kept.set(key, { spec: { ...spec,',
  ]),
  // Found by changing each wait, check of a signal and check after a wait.
  ...mutantsOf('dra-manager', [
    'cancelled-preparation-is-referenced',
    'claim-operations.ts',
    'Promise<void> {\n    signal?.throwIfAborted();\n    const infos = await this.#addReferences',
    'Promise<void> {\n    const infos = await this.#addReferences',
  ]),
  ...mutantsOf(
    'cpu-manager',
    ['admitted-before-the-release-is-saved', 'cpu-manager.ts', '    await saved;\n', ''],
    [
      'updates-after-the-stop',
      'cpu-reconciler.ts',
      "        if (signal.aborted) return;\n        if (each.action === 'fail')",
      "        if (each.action === 'fail')",
    ],
  ),
  ...mutantsOf(
    'device-manager',
    [
      'device-is-free-while-the-plugin-answers',
      'device-table.ts',
      '      inUse.set(resource, new Set([...(inUse.get(resource) ?? []), ...ids]));\n',
      '',
    ],
    [
      'containers-choose-at-the-same-time',
      'device-allocator.ts',
      'const allocation = this.#allocating.then(() => this.#allocateContainer(pod, container, hint));',
      'const allocation = this.#allocateContainer(pod, container, hint);',
    ],
    [
      'unregistered-plugin-is-followed',
      'plugins.ts',
      'if (endpoints.get(resource) !== endpoint || endpoint.stoppedAt !== undefined) break;',
      'if (endpoints.get(resource) !== endpoint) break;',
    ],
  ),
  ...mutantsOf(
    'container-manager',
    ['updates-overlap', 'qos-cgroups.ts', 'const update = this.#lastUpdate.then(() => {', 'const update = Promise.resolve().then(() => {'],
    [
      'updates-after-the-stop',
      'container-manager.ts',
      "if (!signal.aborted) await this.#qos.update('all');",
      "await this.#qos.update('all');",
    ],
  ),
  ...mutantsOf(
    'csi',
    ['block-device-without-its-data', 'block.ts', '        await this.#saveData();\n        if (canStage)', '        if (canStage)'],
    [
      'block-device-without-its-link',
      'block.ts',
      '      const isFirst = await makeDeviceLink(link, path);',
      '      const isFirst = link !== path || (await makeDeviceLink(link, path));',
    ],
  ),
  ...mutantsOf(
    'volume-plugins',
    ['next-volume-after-an-abort', 'pod-volumes.ts', '        signal.throwIfAborted();\n        const text', '        const text'],
    ['next-source-after-an-abort', 'payload/projected-payload.ts', '      context.signal.throwIfAborted();\n', ''],
  ),
  ...mutantsOf(
    'volume-manager',
    ['sync-during-a-read-is-lost', 'populator/populator.ts', '    if (this.#inProgress.has(uid)) this.#inProgress.set(uid, true);\n', ''],
    [
      'unexpanded-volume-stays-mounted',
      'operations/mount-volume.ts',
      '    () => actual.markVolumeMountAsUncertain(facts),\n',
      '    () => {},\n',
    ],
    [
      'half-unmapped-device-is-mapped',
      'operations/unmount-device.ts',
      "  actual.setDeviceMountState(volumeName, 'DeviceMountUncertain', devicePath, deviceMountPath);\n  const unmapper",
      '  const unmapper',
    ],
    [
      'half-unmapped-volume-is-mapped',
      'operations/unmount-volume.ts',
      '  actual.markVolumeMountAsUncertain(factsOf(mounted));\n  const mapping',
      '  const mapping',
    ],
  ),
  ...mutantsOf(
    'status-manager',
    ['two-requests-for-one-pod', 'sink/sink-run.ts', '      if (this.#inFlight.has(uid)) continue;\n', ''],
    [
      'newest-status-counts-as-sent',
      'sink/sink-run.ts',
      '        this.#sent.markSent(apiUid, entry);\n        syncDuration',
      '        this.#sent.markSent(apiUid, this.#statuses.versionedStatus(uid) ?? entry);\n        syncDuration',
    ],
  ),
  ...mutantsOf('pleg', ['stop-replaces-the-status', 'reconciler.ts', '      if (signal.aborted) return false;\n', '']),
  ...mutantsOf(
    'image-manager',
    [
      'intent-is-removed-before-the-record',
      'pull-manager.ts',
      '      if (imageRef !== undefined) await this.#writeIfChanged(image, imageRef, undefined);\n      await this.#store.deleteIntent(image);',
      '      await this.#store.deleteIntent(image);\n      if (imageRef !== undefined) await this.#writeIfChanged(image, imageRef, undefined);',
    ],
    ['intent-is-removed-during-a-pull', 'pull-manager.ts', '      if (count > 1) return void this.#inFlight.set(image, count - 1);\n', ''],
  ),
  ...mutantsOf('node-status', [
    'sent-volumes-count-as-reported',
    'manager/node-reporter.ts',
    'volumes?.markVolumesAsReportedInUse(reported.status?.volumesInUse ?? []);',
    'volumes?.markVolumesAsReportedInUse(updated.node.status?.volumesInUse ?? []);',
  ]),
  ...mutantsOf('node-shutdown', ['slow-start-replaces-the-end', 'shutdown-manager.ts', '    await stored;\n', '']),
  ...mutantsOf('streaming', [
    'unread-stream-holds-up-its-writer',
    'push-stream.ts',
    '      onRoom();\n      done(error);',
    '      done(error);',
  ]),
  ...mutantsOf('grpc', [
    'padding-keeps-the-window',
    'client/session.ts',
    '    this.#streams.consume(stream, payload.length - bytes.length);\n',
    '',
  ]),
  ...mutantsOf('plugin-manager', [
    'plugin-is-unknown-while-it-registers',
    'register.ts',
    '  added({ socketPath, type, name, endpoint });\n  try {\n    await handler.register(name, endpoint, supportedVersions, signal);',
    '  try {\n    await handler.register(name, endpoint, supportedVersions, signal);\n    added({ socketPath, type, name, endpoint });',
  ]),
  ...mutantsOf('container-logs', [
    'stop-is-a-failed-compression',
    'rotate-log.ts',
    '    signal.throwIfAborted();\n    logger.warn({ file',
    '    logger.warn({ file',
  ]),
  ...mutantsOf('core', [
    'ended-before-its-claims-are-unprepared',
    'pods/pod-syncer.ts',
    '      await options.unprepareDynamicResources?.(pod);\n      const status',
    '      void options.unprepareDynamicResources?.(pod);\n      const status',
  ]),
];
