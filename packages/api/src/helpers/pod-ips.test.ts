import { expect, it } from 'vitest';
import { orderPodIPs, reportedPodIPs } from './pod-ips.js';

it('orders pod addresses by the node family', () => {
  expect(orderPodIPs(['fd00::1', '10.0.0.5', '10.0.0.6', 'x'], '192.168.0.1')).toEqual(['10.0.0.5', 'fd00::1']);
  expect(orderPodIPs(['10.0.0.5', 'fd00::1'], 'fd00::9')).toEqual(['fd00::1', '10.0.0.5']);
});

it('reports the addresses of the node for a pod on the host network', () => {
  expect(reportedPodIPs([], ['10.0.0.9', 'fd00::9'], true)).toEqual(['10.0.0.9', 'fd00::9']);
  expect(reportedPodIPs(['10.0.0.7'], ['10.0.0.9', 'fd00::9'], true)).toEqual(['10.0.0.7', 'fd00::9']);
  expect(reportedPodIPs([], [], true)).toEqual([]);
  expect(reportedPodIPs([], ['10.0.0.9'], false)).toEqual([]);
});
