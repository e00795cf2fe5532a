import type { Informer, ObjectChange, Pod } from '@nodeagent/api';
import { defineSuite, type Fixture, type PodSourceSubject, podSourceSuite } from '@nodeagent/compliance';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createApiServerSource } from './api/api-server-source.js';
import { createFileSource } from './file/file-source.js';
import { createHttpSource } from './http/http-source.js';

const nodeName = 'n1';
const folder = '/manifests';
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const away = () => new Error('away');

/** A folder in memory, without a watch. */
function fileSubject(): Fixture<PodSourceSubject> {
  const clock = createVirtualClock();
  let files = new Map<string, Uint8Array>();
  let isReadable = true;
  const source = createFileSource({
    path: folder,
    nodeName,
    clock,
    watch: () => ({ close() {} }),
    files: {
      async stat(path) {
        if (path === folder) return { kind: 'directory', id: '1', size: 0 };
        const content = files.get(path.slice(folder.length + 1));
        return content && { kind: 'file', id: path, size: content.length };
      },
      async list() {
        if (!isReadable) throw away();
        return [...files.keys()];
      },
      async read(path) {
        return files.get(path.slice(folder.length + 1)) ?? Promise.reject(away());
      },
    },
  });
  return {
    subject: {
      source,
      set: (pods) => {
        files = new Map(pods.map((pod) => [`${pod.metadata?.name}.json`, encode(pod)]));
      },
      setReadable: (next) => {
        isReadable = next;
      },
      advance: clock.advance,
    },
    cleanup: source.stop,
  };
}

/** A web server in memory. */
function httpSubject(): Fixture<PodSourceSubject> {
  const clock = createVirtualClock();
  let pods: readonly Pod[] = [];
  let isReadable = true;
  const source = createHttpSource({
    url: 'http://192.0.2.1/pods',
    nodeName,
    clock,
    async get() {
      if (!isReadable) throw away();
      const body = encode({ apiVersion: 'v1', kind: 'PodList', items: pods });
      return { status: 200, statusText: 'OK', body };
    },
  });
  return {
    subject: {
      source,
      set: (next) => {
        pods = next;
      },
      setReadable: (next) => {
        isReadable = next;
      },
      advance: clock.advance,
    },
    cleanup: source.stop,
  };
}

/** An API server of which there is only the informer; it keeps its last list during an outage, as informers do. */
function apiSubject(): Fixture<PodSourceSubject> {
  const clock = createVirtualClock();
  const listeners = new Set<(change: ObjectChange<Pod> | undefined) => void>();
  const server = { pods: [] as readonly Pod[], isReadable: true };
  const local = { pods: [] as readonly Pod[], hasSynced: false, running: false };
  const refresh = () => {
    if (!server.isReadable || !local.running) return;
    local.pods = server.pods;
    local.hasSynced = true;
    for (const listener of listeners) listener(undefined);
  };
  const informer: Informer<Pod> = {
    get hasSynced() {
      return local.hasSynced;
    },
    list: () => local.pods,
    get: ({ name }) => local.pods.find(({ metadata }) => metadata?.name === name),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      local.running = true;
      clock.setTimeout(refresh, 5);
    },
    async stop() {
      local.running = false;
    },
  };
  const source = createApiServerSource({ nodeName, clock, pods: { informer: () => informer } });
  return {
    subject: {
      source,
      set: (pods) => {
        server.pods = pods;
        refresh();
      },
      setReadable: (isReadable) => {
        server.isReadable = isReadable;
        refresh();
      },
      advance: clock.advance,
    },
    cleanup: source.stop,
  };
}

describe.each([
  ['file', fileSubject],
  ['http', httpSubject],
  ['api', apiSubject],
])('the source "%s" keeps the promises of a', (_, factory) => {
  defineSuite({ describe, it }, podSourceSuite, factory);
});
