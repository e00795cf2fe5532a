import { describe, expect, it } from 'vitest';
import { formatUrl, hostName, parseUrl, portNumber, requestTarget, resolveUrl } from './url.js';

describe('parseUrl', () => {
  it.each([
    ['http://Host:80/a', 'http://Host:80/a'],
    ['HTTPS://[fd00::1]:443/x?q#f', 'https://[fd00::1]:443/x?q#f'],
    ['http://u:p@h/x', 'http://h/x'],
    ['http://h/a b|c%2f%20', 'http://h/a%20b%7Cc/%20'],
    ['http://h/a%2fb', 'http://h/a%2fb'],
    ['http://h?', 'http://h?'],
    ['http://h/ä#ö é', 'http://h/%C3%A4#%C3%B6%20%C3%A9'],
  ])('%s is %s', (text, printed) => {
    expect(formatUrl(parseUrl(text))).toBe(printed);
  });

  it.each([
    ['http://%zz/', 'parse "http://%zz/": invalid URL escape "%zz"'],
    ['http://%41/', 'parse "http://%41/": invalid URL escape "%41"'],
    ['http://h:x/', 'parse "http://h:x/": invalid port ":x" after host'],
    ['http://[::1/', 'parse "http://[::1/": missing \']\' in host'],
    ['http://a b/', 'parse "http://a b/": invalid character " " in host name'],
    ['/%', 'parse "/%": invalid URL escape "%"'],
    ['/a\tb', 'parse "/a\\tb": net/url: invalid control character in URL'],
    [':/x', 'parse ":/x": missing protocol scheme'],
    ['1:2/x', 'parse "1:2/x": first path segment in URL cannot contain colon'],
  ])('%s is none', (text, message) => {
    expect(() => parseUrl(text)).toThrow(message);
  });
});

describe('resolveUrl', () => {
  const base = parseUrl('http://h:80/a/b?q#f');
  it.each([
    ['c', 'http://h:80/a/c'],
    ['../../../c', 'http://h:80/c'],
    ['./', 'http://h:80/a/'],
    ['..', 'http://h:80/'],
    ['/x/./y', 'http://h:80/x/y'],
    ['?z', 'http://h:80/a/b?z'],
    ['#g', 'http://h:80/a/b?q#g'],
    ['', 'http://h:80/a/b?q#f'],
    ['//o/p', 'http://o/p'],
    ['https://o', 'https://o'],
  ])('%s is %s', (reference, printed) => {
    expect(formatUrl(resolveUrl(base, parseUrl(reference)))).toBe(printed);
  });
});

it('splits URLs', () => {
  expect(hostName({ host: '[::1]:8' })).toBe('::1');
  expect(hostName({ host: 'h' })).toBe('h');
  expect([portNumber(parseUrl('https://h')), portNumber(parseUrl('http://h')), portNumber(parseUrl('http://[::1]:8'))]).toEqual([
    443, 80, 8,
  ]);
  expect(requestTarget(parseUrl('http://h?q#f'))).toBe('/?q');
});
