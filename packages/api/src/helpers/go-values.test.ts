import { expect, it } from 'vitest';
import { admissionError, admissionReason } from '../contracts/admission-error.js';
import { parseGoBool } from './go-values.js';

it('parses booleans as Go does, and rejects other texts with its messages', () => {
  expect(['1', 't', 'TRUE', 'True', '0', 'f', 'False'].map(parseGoBool)).toEqual([true, true, true, true, false, false, false]);
  expect(() => parseGoBool('yes')).toThrow('strconv.ParseBool: parsing "yes": invalid syntax');
  expect(() => parseGoBool('toString')).toThrow('invalid syntax');
});

it('gives the reason of an admission error, and none for other errors', () => {
  expect(admissionReason(admissionError('SMTAlignmentError', 'no'))).toBe('SMTAlignmentError');
  expect([new Error('no'), undefined, { code: 'ENOENT', details: {} }].map(admissionReason)).toEqual([undefined, undefined, undefined]);
});
