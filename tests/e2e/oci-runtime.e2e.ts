import { describeOnOci } from '../support/runtimes/describe-on-runtimes.js';
import { examplePodsSuite } from './example-pods-suite.js';

describeOnOci('pods', examplePodsSuite, { alwaysOnOci: true });
