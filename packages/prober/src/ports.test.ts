import { expect, it } from 'vitest';
import { probePort } from './ports.js';

const ports = [{ name: 'http', containerPort: 8080 }];

it('resolves a port by number and by name', () => {
  expect([80, '80', 'http'].map((port) => probePort(port, ports))).toEqual([80, 80, 8080]);
  for (const port of [0, 65_536, 'https', Number.NaN]) expect(() => probePort(port, ports)).toThrow();
});
