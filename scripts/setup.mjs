import { setup } from './lib/setup.mjs';

setup();
