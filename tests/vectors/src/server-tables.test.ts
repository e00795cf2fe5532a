import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@nodeagent/api';
import { createTestApiServer, type ServerStorage } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { rolesWithoutLabels } from './masks.js';
import { readLines } from './vectors.js';

interface TableCase {
  id: string;
  input: { now: string; object: KubeObject };
  output: { columns: string[]; cells: unknown[] };
}

const folder = fileURLToPath(new URL('../recorded/view', import.meta.url));

/** Where the server serves the objects of a file, and stores them. */
const places: Readonly<Record<string, { root: string; storage: string; isClusterScoped?: true }>> = {
  pod: { root: '/api/v1', storage: '/pods' },
  node: { root: '/api/v1', storage: '/nodes', isClusterScoped: true },
  namespace: { root: '/api/v1', storage: '/namespaces', isClusterScoped: true },
  service: { root: '/api/v1', storage: '/services' },
  persistentvolumeclaim: { root: '/api/v1', storage: '/persistentvolumeclaims' },
  event: { root: '/api/v1', storage: '/events' },
  secret: { root: '/api/v1', storage: '/secrets' },
  configmap: { root: '/api/v1', storage: '/configmaps' },
  deployment: { root: '/apis/apps/v1', storage: 'apps/deployments' },
  replicaset: { root: '/apis/apps/v1', storage: 'apps/replicasets' },
  statefulset: { root: '/apis/apps/v1', storage: 'apps/statefulsets' },
  daemonset: { root: '/apis/apps/v1', storage: 'apps/daemonsets' },
  job: { root: '/apis/batch/v1', storage: 'batch/jobs' },
  cronjob: { root: '/apis/batch/v1', storage: 'batch/cronjobs' },
};

/** A storage with one object of an earlier run, so that the server shows it as it is. */
const storageOf = (storage: string, object: KubeObject): ServerStorage => ({
  open: () => ({ revision: 1, objects: [[storage, object as never]] }),
  journal: { put: () => {}, remove: () => {} },
  value: () => undefined,
  setValue: () => {},
  flushed: async () => {},
  close: () => {},
});

/** The table that the server answers to `kubectl get -o wide`. */
async function served(kind: string, { now, object }: TableCase['input']): Promise<TableCase['output']> {
  const { root, storage, isClusterScoped } = places[kind] ?? expect.unreachable(`no place for ${kind}`);
  const { namespace = 'default', name } = object.metadata ?? {};
  const placed = isClusterScoped ? object : { ...object, metadata: { ...object.metadata, namespace } };
  const server = createTestApiServer({ clock: createVirtualClock({ start: Date.parse(now) }), storage: storageOf(storage, placed) });
  const url = `${root}${isClusterScoped ? '' : `/namespaces/${namespace}`}/${storage.split('/')[1]}/${name}`;
  const { body } = await server.handle({ url, headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  const { columnDefinitions, rows } = JSON.parse(String(body));
  await server.close();
  return { columns: columnDefinitions.map((column: { name: string }) => column.name), cells: rows[0].cells };
}

it.each(readdirSync(folder))('the test API server answers the tables of %s', async (file) => {
  const kind = file.split('-')[0] ?? '';
  for (const line of readLines(`${folder}/${file}`)) {
    const { id, input, output } = JSON.parse(line) as TableCase;
    const actual = await served(kind, input);
    const sides = { expected: output, actual, input };
    const { expected } = kind === 'node' ? { ...sides, ...rolesWithoutLabels.hide(sides) } : sides;
    expect(actual, id).toEqual(expected);
  }
});
