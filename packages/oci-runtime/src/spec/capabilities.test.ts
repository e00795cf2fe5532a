import { describe, expect, it } from 'vitest';
import { capabilityNames, containerCapabilities } from './capabilities.js';

const all = capabilityNames('000001ffffffffff');
const bounding = (request: Parameters<typeof containerCapabilities>[0], available = all) =>
  containerCapabilities(request, available).bounding;

describe('capabilityNames', () => {
  it('reads the sets of /proc/PID/status', () => {
    expect(all).toHaveLength(41);
    expect([all[0], all[21], all.at(-1)]).toEqual(['CAP_CHOWN', 'CAP_SYS_ADMIN', 'CAP_CHECKPOINT_RESTORE']);
    expect(capabilityNames('0000000000200001\n')).toEqual(['CAP_CHOWN', 'CAP_SYS_ADMIN']);
    expect(capabilityNames('8000000000000000')).toEqual([]);
  });
});

describe('containerCapabilities', () => {
  it('gives the default set in the bounding, effective and permitted sets only', () => {
    const { bounding, effective, permitted, inheritable, ambient } = containerCapabilities({}, all);
    expect(bounding).toHaveLength(14);
    expect([effective, permitted]).toEqual([bounding, bounding]);
    expect([inheritable, ambient]).toEqual([[], []]);
  });

  it('adds and drops by name, in any case, with or without the prefix', () => {
    const names = bounding({ capabilities: { addCapabilities: ['NET_ADMIN', 'cap_sys_time'], dropCapabilities: ['chown'] } });
    expect(names).toContain('CAP_NET_ADMIN');
    expect(names).toContain('CAP_SYS_TIME');
    expect(names).not.toContain('CAP_CHOWN');
  });

  it('counts ALL before single names', () => {
    expect(bounding({ capabilities: { addCapabilities: ['KILL'], dropCapabilities: ['ALL'] } })).toEqual(['CAP_KILL']);
    expect(bounding({ capabilities: { addCapabilities: ['ALL'], dropCapabilities: ['CHOWN'] } })).toEqual(all.slice(1));
    expect(bounding({ capabilities: { addCapabilities: ['ALL'], dropCapabilities: ['ALL'] } })).toEqual([]);
  });

  it('adds ambient capabilities to all sets', () => {
    const sets = containerCapabilities({ capabilities: { addAmbientCapabilities: ['NET_RAW'], dropCapabilities: ['ALL'] } }, all);
    expect(Object.values(sets)).toEqual(Array(5).fill(['CAP_NET_RAW']));
  });

  it('gives a privileged container all of the machine, whatever it requests', () => {
    expect(bounding({ privileged: true, capabilities: { dropCapabilities: ['ALL'] } }, ['CAP_CHOWN', 'CAP_KILL'])).toEqual([
      'CAP_CHOWN',
      'CAP_KILL',
    ]);
  });

  it('leaves out default capabilities that the machine lacks, and refuses to add such ones', () => {
    expect(bounding({}, ['CAP_KILL'])).toEqual(['CAP_KILL']);
    expect(() => bounding({ capabilities: { addCapabilities: ['SYS_RESOURCE'] } }, ['CAP_KILL'])).toThrow(
      'capabilities: CAP_SYS_RESOURCE cannot be added: the machine does not have it',
    );
    expect(() => bounding({ capabilities: { addCapabilities: ['FLY'] } })).toThrow('unknown capability "FLY"');
  });
});
