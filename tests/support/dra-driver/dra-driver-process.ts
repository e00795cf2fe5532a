import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createDraTestDriver, type TestHealth } from '@nodeagent/dra-manager/test-driver';

/** Arguments: the driver's name, and the sockets that it registers on and serves. */
const [name = '', registrationSocket = '', socketPath = ''] = process.argv.slice(2);

for (const path of [registrationSocket, socketPath]) mkdirSync(dirname(path), { recursive: true });
const onCall = (call: object) => void process.send?.(call);
const driver = createDraTestDriver({ driver: name, registrationSocket, socketPath, health: {}, onCall });
process.on('message', (health: TestHealth) => driver.setHealth(health));
// It ends with its parent.
process.on('disconnect', () => process.exit());
await driver.start();
process.send?.('started');
