import { expect, it } from 'vitest';
import { specAnnotations } from './annotations.js';

it('names the container, and passes only the annotations that the runtime may get', () => {
  const config = {
    metadata: { name: 'main', attempt: 0 },
    image: { image: 'sha256:1', userSpecifiedImage: 'web:1' },
    annotations: { 'run.oci.handler': 'krun', 'example.com/a': '1', 'io.kubernetes.cri.sandbox-id': 'forged' },
  };
  const sandbox = { metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 } };
  const names = {
    'io.kubernetes.cri.container-name': 'main',
    'io.kubernetes.cri.image-name': 'web:1',
    'io.kubernetes.cri.sandbox-id': 's1',
    'io.kubernetes.cri.sandbox-name': 'web',
    'io.kubernetes.cri.sandbox-namespace': 'default',
    'io.kubernetes.cri.sandbox-uid': 'u1',
  };
  const annotations = (passed?: string[]) => specAnnotations({ config, sandbox, sandboxId: 's1', passed });
  expect(annotations()).toEqual(names);
  expect(annotations(['example.com/*'])).toEqual({ ...names, 'example.com/a': '1' });
  expect(annotations(['run.oci.handler', 'io.*'])).toEqual({ ...names, 'run.oci.handler': 'krun' });
});
