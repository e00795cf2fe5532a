import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareTrace } from './compare.js';
import { skippableStatuses } from './passing.js';
import type { Trace } from './trace.js';

const dir = fileURLToPath(new URL('../reference', import.meta.url));
const references = readdirSync(dir)
  .map((file) => file.slice(0, -'.json'.length))
  .map((name) => ({ name, reference: JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as Trace }));

/** Compares what a kubelet did, with a change and all containers removed, with its reference. */
function verdictOn(name: string, reference: Trace, change: Partial<Trace> = {}) {
  const { early, late, kept } = reference.removals;
  const trace = { ...reference, removals: { early, late: [...late, ...kept], kept: [] }, ...change };
  return compareTrace(trace, join(dir, `${name}.json`), { scenario: name, show: 3, statusesPass: true });
}

describe('the actions of the kubelet in the references', () => {
  it.each(references)('of $name agree with themselves', ({ name, reference }) => {
    expect(verdictOn(name, reference).lines).toEqual(['agrees']);
  });

  const long = references.filter(({ reference }) => reference.status.length > 2);

  it.each(long)('of $name differ with only the first and the last status', ({ name, reference: { status, ...rest } }) => {
    expect(verdictOn(name, { ...rest, status: [status[0] ?? '', status.at(-1) ?? ''] }).agrees).toBe(false);
  });

  it.each(long)('of $name differ without any status except the skippable ones', ({ name, reference }) => {
    const skippable = reference.status.flatMap((_, index) => {
      const status = reference.status.filter((_line, at) => at !== index);
      return verdictOn(name, reference, { status }).agrees ? [index] : [];
    });
    expect(skippable).toEqual(skippableStatuses[name] ?? []);
  });

  it.each(references)('of $name differ with other timeouts, more repeated calls, and calls cut short', ({ name, reference }) => {
    for (const [index, call] of reference.calls.entries()) {
      const request = call.request as { timeout?: string };
      if (request.timeout === undefined) continue;
      const calls = reference.calls.with(index, { ...call, request: { ...request, timeout: '9' } });
      expect(verdictOn(name, reference, { calls }).lines[0]).toBe('DIFFERS: calls 2');
    }
    for (const [index, call] of reference.calls.entries()) {
      const calls = reference.calls.with(index, { ...call, times: 2 * (call.times ?? 1) + 1 });
      expect(verdictOn(name, reference, { calls }).lines[0]).toBe('DIFFERS: repeated calls 1');
    }
    expect(verdictOn(name, reference, { cutShort: 2 }).lines).toEqual(['DIFFERS: calls cut short: 2 instead of at most 1']);
  });
});
