import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { nodeTarget } from '../network/node-proxy.js';
import { pod, pods, setUp } from '../test-api-server.fixture.js';
import { flagOf } from './request.js';
import { requestInfo } from './request-info.js';

describe('a flag of the query', () => {
  it.each([
    ['', undefined],
    ['watch=0', false],
    ['watch=False', false],
    ['watch=True', true],
    ['watch=1', true],
    ['watch=', true],
  ])('%j: %s', (query, expected) => expect(flagOf(new URLSearchParams(query), 'watch')).toBe(expected));

  it('opens a watch with bookmarks for the client of Python', async () => {
    const { server, watch, clock } = setUp();
    server.objects.create(pod('web') as KubeObject);
    const seen = await watch(`${pods}?watch=True&sendInitialEvents=True&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=True`);
    await clock.settle();
    expect(seen.events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
  });

  it('reaches the node as the kubelet expects it', () => {
    const place = { metadata: { name: 'web', namespace: 'default' }, spec: { nodeName: 'n1', containers: [{ name: 'main' }] } };
    const context = { store: { get: () => ({ metadata: {}, status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } }) } };
    const path = (subresource: string, query: string) => {
      const info = requestInfo('GET', `${pods}/web/${subresource}`, new URLSearchParams());
      return nodeTarget(context as never, place as never, info, query).path;
    };
    expect(path('exec', '?command=sh&stdin=False&stdout=True&stderr=True&tty=False')).toBe(
      '/exec/default/web/main?command=sh&output=1&error=1',
    );
    expect(path('log', '?follow=True&previous=False&tailLines=5')).toBe('/containerLogs/default/web/main?tailLines=5&follow=true');
  });
});
