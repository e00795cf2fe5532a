import { expect, it } from 'vitest';
import { admissionError, admissionReason } from '../contracts/admission-error.js';
import { parseGoBool, parseGoInt } from './go-values.js';

it('parses booleans and integers as Go does, and rejects other texts with its messages', () => {
  expect(['1', 't', 'TRUE', 'True', '0', 'f', 'False'].map(parseGoBool)).toEqual([true, true, true, true, false, false, false]);
  expect(() => parseGoBool('yes')).toThrow('strconv.ParseBool: parsing "yes": invalid syntax');
  expect(() => parseGoBool('toString')).toThrow('invalid syntax');
  expect(['8', '+8', '-1'].map(parseGoInt)).toEqual([8, 8, -1]);
  expect(() => parseGoInt('8.5')).toThrow('strconv.Atoi: parsing "8.5": invalid syntax');
  expect(() => parseGoInt('99999999999999999999')).toThrow('strconv.Atoi: parsing "99999999999999999999": value out of range');
});

it('gives the reason of an admission error, and none for other errors', () => {
  expect(admissionReason(admissionError('SMTAlignmentError', 'no'))).toBe('SMTAlignmentError');
  expect([new Error('no'), undefined, { code: 'ENOENT', details: {} }].map(admissionReason)).toEqual([undefined, undefined, undefined]);
});
