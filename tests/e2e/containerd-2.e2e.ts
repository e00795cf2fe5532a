import { containerdSuite } from './containerd-suite.js';

containerdSuite('2');
