import { once } from 'node:events';
import { connect } from 'node:net';
import { systemClock } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestApiServer } from '../test-api-server.js';
import { machineNetwork } from './machine-network.js';
import { quietDetector } from './quiet.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('quiet', () => {
  it('waits while there is traffic', async () => {
    let traffic = 0;
    const quiet = quietDetector({ traffic: () => traffic });
    const talk = async () => {
      for (let word = 0; word < 30; word++) {
        for (let thought = 0; thought < 5; thought++) await turn();
        traffic++;
      }
    };
    void talk();
    await quiet();
    expect(traffic).toBe(30);
  });

  it('resolves after three turns without traffic since the last call', async () => {
    let asked = 0;
    const traffic = () => {
      asked++;
      return 1;
    };
    const quiet = quietDetector({ traffic });
    await quiet();
    asked = 0;
    await quiet();
    // Before each turn, and after the last one.
    expect(asked).toBe(4);
  });

  it('waits two milliseconds after traffic, unless all bytes have certainly arrived', async () => {
    let traffic = 0;
    let isSettled = false;
    const quiet = quietDetector({ traffic: () => traffic, isSettled: () => isSettled });
    const quietAfterTraffic = async () => {
      traffic++;
      let isQuiet = false;
      const done = quiet().then(() => {
        isQuiet = true;
      });
      for (let count = 0; count < 12; count++) await turn();
      return { isQuiet, done };
    };
    const startedAt = systemClock.monotonic();
    await (await quietAfterTraffic()).done;
    expect(systemClock.monotonic() - startedAt).toBeGreaterThanOrEqual(2);
    isSettled = true;
    expect((await quietAfterTraffic()).isQuiet).toBe(true);
  });

  it('waits for a connected client without a request yet', async () => {
    const server = createTestApiServer({ network: machineNetwork });
    const { port } = new URL(await server.listen());
    const client = connect(Number(port), '127.0.0.1');
    await once(client, 'connect');
    let asked = false;
    systemClock.setTimeout(() => {
      asked = true;
      client.write('GET /version HTTP/1.1\r\nHost: node\r\n\r\n');
    }, 30);
    await server.quiet();
    expect(asked).toBe(true);
    client.destroy();
    await server.close();
  });

  it('runs HTTP clients in virtual time', async () => {
    const clock = createVirtualClock({ settleIO: () => server.quiet() });
    const server = createTestApiServer({ network: machineNetwork, clock });
    await server.quiet();
    const url = await server.listen();
    const answers: string[] = [];
    const ask = async () => {
      for (const path of ['/version', '/healthz', '/api']) {
        const { status } = await fetch(url + path);
        answers.push(`${path} ${status} at ${clock.monotonic()}`);
      }
    };
    void ask();
    clock.setTimeout(() => void ask(), 1_000);
    clock.setTimeout(() => answers.push('later'), 1_001);
    await clock.advance(2_000);
    expect(answers).toEqual([
      ...['/version 200 at 0', '/healthz 200 at 0', '/api 200 at 0'],
      ...['/version 200 at 1000', '/healthz 200 at 1000', '/api 200 at 1000', 'later'],
    ]);
    await server.close();
  });
});
