import { formatResourceList, Quantity } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import { nodeCapacity, podCapacity } from './capacity.js';
import { nodeReservation, validateReservation } from './reservation.js';

const gib = 1024n ** 3n;
const settings = { maxPods: 110, podsPerCore: 0, reservation: new Map<string, Quantity>() };

describe('capacity and allocatable', () => {
  it('exclude huge pages from allocatable memory', () => {
    const machine = { cpus: 2, memoryBytes: 8n * gib, hugePages: [{ pageBytes: gib, pages: 2n }], ephemeralStorageBytes: 10n * gib };
    const reservation = new Map([['memory', Quantity.parse('1Gi')]]);
    expect(nodeCapacity({ ...settings, machine, reservation })).toEqual({
      capacity: { cpu: '2', memory: '8Gi', pods: '110', 'hugepages-1Gi': '2Gi', 'ephemeral-storage': '10Gi' },
      allocatable: { cpu: '2', memory: '5Gi', pods: '110', 'hugepages-1Gi': '2Gi', 'ephemeral-storage': '10Gi' },
    });
  });

  it('keep resources of other components, except for removed extended resources', () => {
    const existing = { capacity: { 'example.com/kept': '3' }, allocatable: { 'example.com/kept': '3', 'example.com/removed': '1' } };
    const devices = { capacity: { 'example.com/gpu': '4' }, allocatable: { 'example.com/gpu': '3' }, removed: ['example.com/old'] };
    const machine = { cpus: 1, memoryBytes: gib, hugePages: [] };
    expect(nodeCapacity({ ...settings, existing, machine, devices }).allocatable).toEqual({
      'example.com/kept': '3',
      cpu: '1',
      memory: '1Gi',
      pods: '110',
      'example.com/gpu': '3',
      'example.com/old': '0',
    });
  });

  it('never fall below zero', () => {
    const machine = { cpus: 1, memoryBytes: gib, hugePages: [{ pageBytes: gib, pages: 4n }] };
    const { allocatable } = nodeCapacity({ ...settings, machine, reservation: new Map([['cpu', Quantity.parse('3')]]) });
    expect(allocatable).toMatchObject({ cpu: '0', memory: '0' });
  });

  it.each([
    [4, 0, 110],
    [4, 10, 40],
    [4, 100, 110],
  ])('%i CPUs with %i pods each take %i pods', (cpus, podsPerCore, pods) => {
    expect(podCapacity(cpus, { maxPods: 110, podsPerCore })).toBe(pods);
  });
});

describe('reservation', () => {
  const input = {
    capacity: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' },
    systemReserved: { cpu: '250m', pid: '100' },
    kubeReserved: { cpu: '250m', memory: '1Gi' },
    evictionReserves: [
      { resource: 'memory', value: { quantity: '4Gi' } },
      { resource: 'ephemeral-storage', value: { percentage: 0.1 } },
      { resource: 'memory', value: { quantity: '100Mi' } },
    ],
  };

  it('adds up reservations and eviction thresholds', () => {
    expect(formatResourceList(nodeReservation(input))).toEqual({ cpu: '500m', memory: '1124Mi', 'ephemeral-storage': '10737418400' });
  });

  it('must not exceed the capacity', () => {
    expect(() => validateReservation(input.capacity, nodeReservation(input))).not.toThrow();
    const reserved = nodeReservation({ capacity: { cpu: '1', memory: '1Gi' }, systemReserved: { cpu: '2' } });
    expect(() => validateReservation({ cpu: '1' }, reserved)).toThrow(
      expect.objectContaining({
        code: 'InvalidNodeAllocatable',
        details: { resources: ['cpu'] },
        message:
          'invalid Node Allocatable configuration. Resource "cpu" has a reservation of 2 but capacity of 1. Expected capacity >= reservation.',
      }),
    );
  });
});
