import { createPod, deletePod, foreverCommand, type Scenario, shell } from '../scenario.js';

const connectionRefused =
  'failed to pull and unpack image "localhost:1/none/such:1": failed to resolve image: failed to do request: Head ' +
  '"https://localhost:1/v2/none/such/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused';

/** Images that cannot be had. */
export const images: Scenario[] = [
  {
    name: 'image-missing',
    long: true,
    async act(context) {
      context.memory.scriptImage('localhost:1/none/such:1', { pullError: connectionRefused });
      createPod(context, { containers: [shell('c', foreverCommand, { image: 'localhost:1/none/such:1' })] });
      await context.clock.advance(40_000);
      await deletePod(context);
    },
  },
  {
    name: 'image-never',
    async act(context) {
      createPod(context, { containers: [shell('c', foreverCommand, { image: 'localhost/absent:1', imagePullPolicy: 'Never' })] });
      await context.clock.advance(6_000);
      await deletePod(context);
    },
  },
  {
    name: 'image-invalid',
    async act(context) {
      createPod(context, { containers: [shell('c', foreverCommand, { image: 'Bad Image!' })] });
      await context.clock.advance(6_000);
      await deletePod(context);
    },
  },
];
