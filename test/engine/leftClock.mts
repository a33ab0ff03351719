import { afterAll } from 'vitest';
import { expectOwnTime } from './time.mts';

// The first hook of each file is the last one to run
afterAll(expectOwnTime);
