import { formatCommandEnd } from '@nodeagent/streaming';
import { describe, expect, it } from 'vitest';
import { channels, closeInputFrame, endText, execFrame, parseFrame, shellUrl, sizeFrame } from './exec-frames.js';

describe('the messages of a terminal', () => {
  it('have their channel first', () => {
    expect([...execFrame(channels.stdin, 'ä')]).toEqual([0, 0xc3, 0xa4]);
    expect([...closeInputFrame()]).toEqual([255, 0]);
    expect(new TextDecoder().decode(sizeFrame({ columns: 80, rows: 24 }))).toBe('\u0004{"Width":80,"Height":24}');
    expect(parseFrame(execFrame(channels.stderr, 'no').buffer)).toEqual({ channel: 2, data: new Uint8Array([110, 111]) });
    expect(parseFrame(new ArrayBuffer(0))).toBeUndefined();
  });

  it('go to the exec endpoint beside the page, over the same scheme', () => {
    const target = { namespace: 'shop', pod: 'web', container: 'a b' };
    expect(shellUrl('https://node:10250/ui/?x#pod=y', target)).toBe(
      'wss://node:10250/exec/shop/web/a%20b?command=sh&input=1&output=1&tty=1',
    );
    expect(shellUrl('http://localhost:8001/api/v1/nodes/n/proxy/ui/', target)).toMatch(
      /^ws:\/\/localhost:8001\/api\/v1\/nodes\/n\/proxy\/exec\/shop\//,
    );
  });
});

describe('the end of a terminal', () => {
  it.each([
    [formatCommandEnd({ exitCode: 0 }), 'exited with 0'],
    [formatCommandEnd({ exitCode: 130 }), 'exited with 130'],
    [formatCommandEnd({ error: 'exec: "sh": executable file not found in $PATH' }), 'exec: "sh": executable file not found in $PATH'],
    ['no JSON', 'no JSON'],
    ['', 'the connection ended'],
  ])('%s is shown as: %s', (status, text) => {
    expect(endText(status)).toBe(text);
  });
});
