import type { KubeObject, Pod } from '@nodeagent/api';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createKubeClient } from '../client.js';
import { unreachable } from '../errors.js';
import {
  bookmark,
  type OpenBody,
  openBody,
  podList,
  podObject,
  scriptedTransport,
  statusBody,
  watchLine,
} from '../fixtures/scripted-transport.js';

/** A server with a short history whose connections fail at random: refused, hung, lost at any byte, ended, or with error responses. */
function createFaultyServer(random: () => number) {
  const objects = new Map<string, KubeObject>();
  const history: { version: number; line: string }[] = [];
  const streams = new Set<OpenBody>();
  let version = 1;
  let faults = true;
  const chance = (probability: number) => faults && random() < probability;

  const transport = scriptedTransport(({ query, signal }) => {
    if (chance(0.1)) throw unreachable('test', 'connect', 'connect ECONNREFUSED');
    if (chance(0.05)) return new Promise(() => {});
    if (chance(0.1)) return { status: 503, headers: { 'retry-after': '1' }, body: statusBody(503, 'ServiceUnavailable') };
    if (chance(0.05)) return { status: 200, body: '<html>' };
    const since = Number(query.resourceVersion);
    const oldest = history[0]?.version ?? version;
    if (query.watch !== 'true') return { body: podList(version, [...objects.values()]) };
    if (since < oldest - 1) return { status: 410, body: statusBody(410, 'Expired') };
    const body = openBody(signal);
    streams.add(body);
    for (const event of history) if (event.version > since) body.write(event.line);
    return { body };
  });

  const send = (type: string, object: KubeObject) => {
    const line = watchLine(type, object);
    history.push({ version, line });
    if (history.length > 15) history.shift();
    for (const stream of streams) {
      if (chance(0.03)) {
        stream.write(line.slice(0, Math.floor(random() * line.length)));
        if (chance(0.8)) stream.cut();
        streams.delete(stream);
      } else stream.write(line);
    }
  };

  return {
    transport,
    objects,
    change() {
      const name = `p${Math.floor(random() * 12)}`;
      const old = objects.get(name);
      version++;
      if (old !== undefined && random() < 0.3) {
        objects.delete(name);
        send('DELETED', { ...old, metadata: { ...old.metadata, resourceVersion: String(version) } });
        return;
      }
      const object = podObject(name, version, old?.metadata?.uid ?? `uid-${version}`);
      objects.set(name, object);
      send(old === undefined ? 'ADDED' : 'MODIFIED', object);
    },
    minute() {
      for (const stream of streams) {
        const expired = watchLine('ERROR', statusBody(410, 'Expired'));
        stream.write(chance(0.2) ? (random() < 0.5 ? expired : 'nonsense\n') : bookmark(version));
      }
    },
    heal() {
      faults = false;
    },
  };
}

it.each(Array.from({ length: 20 }, (_, index) => 1000 + index))(
  'cache and reported changes match the server after any faults (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const clock = createVirtualClock();
    const server = createFaultyServer(random);
    const client = createKubeClient({
      cluster: { server: 'http://test' },
      transport: server.transport,
      clock,
      random: seededRandom(seed + 1),
    });
    const informer = client.pods.informer();
    const reported = new Map<string, Pod>();
    let current = false;
    informer.onEvent(({ type }) => {
      if (type !== 'relisted') current = type === 'connected';
      expect(informer.isCurrent || type !== 'connected').toBe(true);
    });
    const wrong: string[] = [];
    informer.onChange((change) => {
      const { old, object } = change ?? {};
      const name = String((object ?? old)?.metadata?.name);
      const known = reported.get(name);
      if (change === undefined) return;
      if ((old === undefined) !== (known === undefined))
        wrong.push(`${name}: ${old === undefined ? 'added twice' : 'changed before it was added'}`);
      if (known !== undefined && known.metadata?.uid !== old?.metadata?.uid) wrong.push(`${name}: another one`);
      if (object === undefined) reported.delete(name);
      else reported.set(name, object);
    });
    await informer.start();
    for (let minute = 0; minute < 60; minute++) {
      for (let count = 0; count < 10; count++) {
        if (random() < 0.7) server.change();
        await clock.advance(6_000 * random());
      }
      server.minute();
    }
    server.heal();
    for (let minute = 0; minute < 8; minute++) {
      server.minute();
      await clock.advance(60_000);
    }
    const versions = (pods: Iterable<KubeObject>) =>
      [...pods].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort();
    expect(wrong).toEqual([]);
    expect(current).toBe(true);
    expect(versions(informer.list())).toEqual(versions(server.objects.values()));
    expect(versions(reported.values())).toEqual(versions(server.objects.values()));
    await informer.stop();
    expect(clock.pending).toBe(0);
  },
);
