import { fnv1a32 } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { decodeDeviceCheckpoint, encodeDeviceCheckpoint } from './checkpoint.js';

/** Files that kubelets wrote. */
const registeredOnly =
  '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{"nvidia.com/gpu":["GPU-0650a168-e770-3ea8-8ac3-8a1d419763e0"]}},"Checksum":3952659280}';
const allocated = {
  Data: {
    PodDeviceEntries: [
      {
        PodUID: '9a15d2b5-c152-46b9-96e0-d57032629e1f',
        ContainerName: 'app',
        ResourceName: 'nvidia.com/gpu',
        DeviceIDs: { 1: ['GPU-9b341c59-f96b-ba85-c137-78c3652fea65', 'GPU-c1e9f249-b37b-81c2-a8d9-ba5ca0294841'] },
        AllocResp:
          'CmsKFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSUUdQVS1jMWU5ZjI0OS1iMzdiLTgxYzItYThkOS1iYTVjYTAyOTQ4NDEsR1BVLTliMzQxYzU5LWY5NmItYmE4NS1jMTM3LTc4YzM2NTJmZWE2NRokCg4vZGV2L252aWRpYWN0bBIOL2Rldi9udmlkaWFjdGwaAnJ3GiYKDy9kZXYvbnZpZGlhLXV2bRIPL2Rldi9udmlkaWEtdXZtGgJydxoyChUvZGV2L252aWRpYS11dm0tdG9vbHMSFS9kZXYvbnZpZGlhLXV2bS10b29scxoCcncaLgoTL2Rldi9udmlkaWEtbW9kZXNldBITL2Rldi9udmlkaWEtbW9kZXNldBoCcncaIAoML2Rldi9udmlkaWExEgwvZGV2L252aWRpYTEaAnJ3GiAKDC9kZXYvbnZpZGlhMhIML2Rldi9udmlkaWEyGgJydw==',
      },
    ],
    RegisteredDevices: {
      'nvidia.com/gpu': [
        'GPU-77a702db-e37f-3a74-d46d-c5713f66058c',
        'GPU-9b341c59-f96b-ba85-c137-78c3652fea65',
        'GPU-c1e9f249-b37b-81c2-a8d9-ba5ca0294841',
      ],
    },
  },
  Checksum: 2530956716,
};

it('reads and writes the files of a kubelet', () => {
  expect(encodeDeviceCheckpoint(decodeDeviceCheckpoint(registeredOnly))).toBe(registeredOnly);
  const text = JSON.stringify(allocated);
  const { records } = decodeDeviceCheckpoint(text);
  expect(records[0]?.response.devices.map(({ hostPath }) => hostPath)).toContain('/dev/nvidia1');
  expect(JSON.parse(encodeDeviceCheckpoint(decodeDeviceCheckpoint(text)))).toEqual(allocated);
});

it('leaves out containers whose response cannot be decoded', () => {
  const entry = { PodUID: 'u', ContainerName: 'c', ResourceName: 'v/d', DeviceIDs: { [-1]: ['a'] }, AllocResp: 'Cv8=' };
  const dump =
    '{PodDeviceEntries:([]checkpoint.PodDevicesEntry)[{PodUID:(string)u ContainerName:(string)c ResourceName:(string)v/d ' +
    'DeviceIDs:(checkpoint.DevicesPerNUMA)map[-1:[a]] AllocResp:([]uint8)[10 255]}] RegisteredDevices:(map[string][]string)map[]}';
  const Checksum = fnv1a32(`(checkpoint.checkpointData)${dump}`);
  const text = JSON.stringify({ Data: { PodDeviceEntries: [entry], RegisteredDevices: {} }, Checksum });
  expect(decodeDeviceCheckpoint(text)).toEqual({ records: [], registered: {} });
});

it.each([
  ['[]', '"Data" is not an object'],
  ['{"Data":{"PodDeviceEntries":{}}}', '"PodDeviceEntries" is not a list'],
  ['{"Data":{"RegisteredDevices":[]}}', '"RegisteredDevices" is not an object'],
  ['{"Data":{"PodDeviceEntries":[{"PodUID":1}]}}', 'PodDeviceEntries[0].DeviceIDs is not an object'],
  ['{"Data":{"PodDeviceEntries":[{"PodUID":1,"DeviceIDs":{}}]}}', 'PodDeviceEntries[0].PodUID is not a string'],
  ['{"Data":{"RegisteredDevices":{"v/d":[1]}}}', 'v/d is not a list of strings'],
  ['{"Data":{"RegisteredDevices":{}},"Checksum":1}', 'checkpoint is corrupted: the checksum does not match'],
])('rejects %s', (text, problem) => {
  expect(() => decodeDeviceCheckpoint(text)).toThrow(problem);
});
