import assert from 'node:assert/strict';
import { criCase } from './session.js';

/** Version and status of a runtime, and promises of all calls. */
export const runtimeCases = [
  criCase('Version returns the runtime name and API version v1', async ({ runtime, run }) => {
    const version = await run(runtime.version({ version: '0.1.0' }));
    assert.equal(version.version, '0.1.0');
    assert.equal(version.runtimeApiVersion, 'v1');
    assert.notEqual(version.runtimeName, '');
  }),

  criCase('Status has the conditions RuntimeReady and NetworkReady', async ({ runtime, run }) => {
    const { status } = await run(runtime.status({}));
    const conditions = new Map(status?.conditions.map(({ type, status: holds }) => [type, holds]));
    assert.equal(conditions.get('RuntimeReady'), true);
    assert.equal(conditions.get('NetworkReady'), true);
  }),

  criCase('a call whose signal has aborted rejects with the reason', async ({ runtime, run }) => {
    const reason = new Error('given up');
    await assert.rejects(run(runtime.listContainers({}, { signal: AbortSignal.abort(reason) })), reason);
  }),

  criCase('a change of the request after the call has no effect', async ({ runtime, run, sandboxConfig, sandboxStatus }) => {
    const config = sandboxConfig('web');
    const { podSandboxId } = await run(runtime.runPodSandbox({ config }));
    Object.assign(config.labels ?? {}, { pod: 'changed' });
    assert.equal((await sandboxStatus(podSandboxId)).labels.pod, 'web');
  }),
];
