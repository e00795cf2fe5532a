import { expect, it } from 'vitest';
import { formatCsiData, parseCsiData, specFromCsiData } from './data.js';

it('writes an object of strings with sorted keys and escaped HTML, reads it back, and rejects other JSON', () => {
  const data = { volumeHandle: '<a&b>\u2028"ü', driverName: 'd' };
  const text = formatCsiData(data);
  expect(text).toBe('{"driverName":"d","volumeHandle":"\\u003ca\\u0026b\\u003e\\u2028\\"ü"}\n');
  expect(parseCsiData(text)).toEqual(data);
  for (const bad of ['[]', '{"driverName":1}', 'null']) expect(() => parseCsiData(bad)).toThrow('not an object of strings');
  expect(() => parseCsiData('{"driver')).toThrow(SyntaxError);
});

it('reconstructs specs of inline, persistent and block volumes', () => {
  const data = { specVolID: 'v', driverName: 'd', volumeHandle: 'h' };
  expect(specFromCsiData({ ...data, volumeLifecycleMode: 'Ephemeral' }).volume).toEqual({ name: 'v', csi: { driver: 'd' } });
  expect(specFromCsiData(data).persistentVolume?.spec).toEqual({ csi: { driver: 'd', volumeHandle: 'h' }, volumeMode: 'Filesystem' });
  expect(specFromCsiData(data, 'Block').persistentVolume?.spec?.volumeMode).toBe('Block');
});
