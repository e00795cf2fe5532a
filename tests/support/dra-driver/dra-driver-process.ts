import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createDraTestDriver } from '@nodeagent/dra-manager/test-driver';

/** Arguments: the driver's name, and the sockets that it registers on and serves. */
const [name = '', registrationSocket = '', socketPath = ''] = process.argv.slice(2);

for (const path of [registrationSocket, socketPath]) mkdirSync(dirname(path), { recursive: true });
const driver = createDraTestDriver({ driver: name, registrationSocket, socketPath, onCall: (call) => process.send?.(call) });
// It ends with its parent.
process.on('disconnect', () => process.exit());
await driver.start();
process.send?.('started');
