import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';
import { expect, it, vi } from 'vitest';
import { observedPorts } from './observed-ports.js';

it('reports no list of images while one is removed', async () => {
  let removed = () => {};
  const image = {
    listImages: async () => ({ images: [] }),
    removeImage: () => new Promise<void>((resolve) => (removed = resolve)),
  };
  const onListImages = vi.fn();
  const observer = { onListImages, onRemoveImage() {}, onStart() {}, onStop() {}, onStopSandbox() {}, onStats() {} };
  const { cri } = observedPorts({ cri: { runtime: {}, image } } as unknown as SimulatedAgentOptions, observer);
  await cri.image.listImages({});
  const removal = cri.image.removeImage({ image: { image: 'app' } });
  await cri.image.listImages({});
  expect(onListImages).toHaveBeenCalledTimes(1);
  removed();
  await removal;
  await cri.image.listImages({});
  expect(onListImages).toHaveBeenCalledTimes(2);
});
