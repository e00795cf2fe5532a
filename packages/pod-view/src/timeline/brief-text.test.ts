import { expect, it } from 'vitest';
import { briefError, withoutUids } from './brief-text.js';

it.each([
  [
    'back-off 5m0s restarting failed container=main pod=web_shop(d391afac-6606-408a-a12b-6aed27682fe8)',
    'back-off 5m0s restarting failed container=main pod=web_shop',
  ],
  ['volume of d391afac-6606-408a-a12b-6aed27682fe8', 'volume of UID'],
  [`container ${'0123456789abcdef'.repeat(4)} exited`, 'container 0123456789ab… exited'],
  ['port 8080 of 192.0.2.1', 'port 8080 of 192.0.2.1'],
])('leaves UIDs and long ids out of %s', (text, shown) => {
  expect(withoutUids(text)).toBe(shown);
});

it.each([
  [
    'rpc error: code = NotFound desc = failed to pull and unpack image "r.io/web:1": failed to resolve reference "r.io/web:1": r.io/web:1: not found',
    'r.io/web:1: not found',
  ],
  [
    'Failed to pull image "web:1": rpc error: code = Unknown desc = failed to pull and unpack image "docker.io/library/web:1": pull access denied, repository does not exist',
    'pull access denied, repository does not exist',
  ],
  [
    'Back-off pulling image "web:1": ErrImagePull: web:1: no route to host',
    'Back-off pulling image "web:1": ErrImagePull: web:1: no route to host',
  ],
  [
    'mount failed: /var/lib/data: no such file: /var/lib/data:\n  permission denied',
    'mount failed: /var/lib/data: no such file: permission denied',
  ],
  ['exit status 1', 'exit status 1'],
  ['failed to pull image "web:1": ', 'failed to pull image "web:1":'],
])('shortens %s', (text, brief) => {
  expect(briefError(text)).toBe(brief);
});
