import { describe, expect, it } from 'vitest';
import { decodeHealthResponse } from './health-codec.js';

const decode = (hex: string) => decodeHealthResponse(Buffer.from(hex, 'hex'));

describe('decodeHealthResponse', () => {
  it.each([
    ['', 'UNKNOWN'],
    ['0801', 'SERVING'],
    ['08010802', 'NOT_SERVING'],
    ['0807', '7'],
    ['08ffffffffffffffffff01', '-1'],
    ['088180808010', 'SERVING'],
    ['12036162630801190102030405060708', 'SERVING'],
    ['0a0203010d00000000', 'UNKNOWN'],
  ])('reads the message %s as protocol buffers do: %s', (hex, status) => {
    expect(decode(hex)).toBe(status);
  });

  it.each([
    ['is cut off in a field', '0801127f'],
    ['is cut off in a number', '080188'],
    ['is cut off in a fixed value', '08011500'],
    ['has a number of more than 64 bits', '08ffffffffffffffffff02'],
    ['has the field 0', '08010001'],
    ['has a group', '08011314'],
  ])('refuses a message that %s', (_, hex) => {
    expect(decode(hex)).toBeUndefined();
  });
});
