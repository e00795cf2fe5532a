import { expect, it } from 'vitest';
import { readServiceUrls } from './service-urls.js';

it('finds the URL of a Service', () => {
  const urls = readServiceUrls(['default/hooks=https://127.0.0.1:9443', 'apps/api=http://[::1]:80/']);
  expect([urls('default', 'hooks'), urls('apps', 'api'), urls('apps', 'hooks')]).toEqual([
    'https://127.0.0.1:9443',
    'http://[::1]:80',
    undefined,
  ]);
});

it.each(['hooks=https://127.0.0.1', 'default/hooks', 'default/hooks=ftp://a', 'default/hooks=https://a:b', 'default/hooks=https://a/path'])(
  'refuses %s',
  (text) => {
    expect(() => readServiceUrls([text])).toThrow(`serviceUrls must be NAMESPACE/NAME=URL with a URL such as https://127.0.0.1:9443`);
  },
);
