import { NodeAgentError } from '@nodeagent/api';
import { defineSuite, type RuntimeSubject, runtimeSuite } from '@nodeagent/compliance';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createTestNode } from './test-node.js';

describe('the runtime manager over a CRI runtime in memory keeps the promises of a', () => {
  defineSuite({ describe, it }, runtimeSuite, (): { subject: RuntimeSubject } => {
    const clock = createVirtualClock();
    const memory = createMemoryRuntime({ clock, images: 'any' });
    memory.script({ image: 'succeeds:1' }, { exit: { code: 0 } });
    memory.script({ image: 'fails:1' }, { exit: { code: 3 } });
    memory.script({ image: 'ignores-stop:1' }, { onStop: 'ignore' });
    const { manager } = createTestNode(memory, clock, {
      images: {
        async ensureImageExists({ image }) {
          if (image.startsWith('cannot-start')) throw new NodeAgentError('ErrImagePull', 'no such image');
          return { imageRef: image };
        },
      },
    });
    return { subject: { runtime: manager, container: (kind) => ({ image: `${kind}:1` }), advance: clock.advance } };
  });
});
