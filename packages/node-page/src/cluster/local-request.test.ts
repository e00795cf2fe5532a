import { expect, it } from 'vitest';
import { isLocalRequest } from './local-request.js';

const host = '127.0.0.1:8080';

it.each([
  [{ host }, true],
  [{ host: 'localhost:8080' }, true],
  [{ host: '[::1]:8080' }, true],
  [{ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, true],
  [{ host, 'sec-fetch-site': 'none' }, true],
  // A link of a website opens the page, which that website cannot read.
  [{ host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, true],
  [{ host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, false],
  [{ host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, false],
  [{ host, 'sec-fetch-site': 'same-site' }, false],
  [{ host, origin: 'http://evil.example' }, false],
  [{ host, origin: 'http://127.0.0.1:9090' }, false],
  [{ host, origin: 'null' }, false],
  [{ host: 'rebound.example:8080' }, false],
  [{ host: '127.0.0.1.evil.example' }, false],
  [{ host: 'evil.example@127.0.0.1' }, false],
  [{}, false],
])('%j is local: %s', (headers, isLocal) => {
  expect(isLocalRequest(headers)).toBe(isLocal);
});
