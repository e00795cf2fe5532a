import { expect, it } from 'vitest';
import { shownFlags } from './shown-flags.js';

it('shows the values of flags, without the secrets of URLs', () => {
  const values = { 'root-dir': '/var', table: true, kubeconfig: undefined, 'manifest-url': 'https://user:pass@example.test/pods?token=x' };
  expect(shownFlags(values)).toEqual({ 'root-dir': '/var', table: 'true', kubeconfig: '', 'manifest-url': 'https://example.test/pods' });
});
