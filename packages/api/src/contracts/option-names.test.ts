import { describe, expect, it } from 'vitest';
import { checkOptionNames, type OptionNames } from './option-names.js';

interface Listener {
  address?: string;
  port: number;
}

interface Options {
  nodeName: string;
  clock?: { now(): number };
  labels?: Record<string, string>;
  settings?: { periodMs?: number; listener?: Listener };
  access?: { mode: 'open' } | { mode: 'webhook'; url: string } | false;
  nodes?: readonly Listener[];
}

const listener: OptionNames<Listener> = { address: true, port: true };
const names: OptionNames<Options> = {
  nodeName: true,
  clock: true,
  labels: true,
  settings: { periodMs: true, listener },
  access: { mode: true, url: true },
  nodes: listener,
};

const check = (options: object) => () => checkOptionNames<Options>('createNode', options as Options, names);

it.each([
  { nodeName: 'a' },
  { nodeName: 'a', settings: undefined, access: false, nodes: [] },
  { nodeName: 'a', settings: { periodMs: 1, listener: { port: 1 } }, access: { mode: 'webhook', url: '' }, nodes: [{ port: 1 }] },
  { nodeName: 'a', logger: {}, metrics: {}, random: () => 0, recorder: {} },
  { nodeName: 'a', labels: { anyKey: 'b' }, clock: { now: () => 0, another: 1 } },
])('accepts %j', (options) => {
  expect(check(options)).not.toThrow();
});

describe('an unknown option', () => {
  it.each<[object, string, string]>([
    [{ nodename: 'a' }, 'nodename', 'nodeName'],
    [{ clokc: undefined }, 'clokc', 'clock'],
    [{ settings: { period: 1 } }, 'settings.period', 'settings.periodMs'],
    [{ settings: { listener: { prot: 1 } } }, 'settings.listener.prot', 'settings.listener.port'],
    [{ access: { mode: 'webhook', ur: '' } }, 'access.ur', 'access.url'],
    [{ nodes: [{ port: 1 }, { adress: '' }] }, 'nodes[1].adress', 'nodes[1].address'],
  ])('is rejected with the nearest name: %j', (options, field, near) => {
    const message = `createNode: unknown option "${field}"; did you mean "${near}"?`;
    expect(check(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', message, details: { field } }));
  });

  it.each<[object, string, string]>([
    [{ toString: 1 }, 'toString', 'The options are nodeName, clock, labels, settings, access, nodes.'],
    [{ settings: { random: 1 } }, 'settings.random', 'The options in "settings" are periodMs, listener.'],
  ])('is rejected with all names if none is near: %j', (options, field, hint) => {
    const message = `createNode: unknown option "${field}"`;
    expect(check(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', message, hint, details: { field } }));
  });
});

it.each([undefined, null, 'a', 1])('rejects %j instead of options', (options) => {
  const message = `createNode: options must be an object, got ${options}`;
  expect(check(options as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', message, details: { field: 'options' } }));
});

it('compiles only with the names of all options', () => {
  // @ts-expect-error the name "port" is missing
  const missing: OptionNames<Listener> = { address: true };
  // @ts-expect-error no option is named "host"
  const extra: OptionNames<Listener> = { address: true, port: true, host: true };
  expect([missing, extra]).toHaveLength(2);
});
