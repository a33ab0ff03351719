import { afterAll } from 'vitest';
import { forgetSecrets } from './secrets.mts';
import { expectOwnTime } from './time.mts';

// The first hooks of each file are the last ones to run
afterAll(expectOwnTime);
afterAll(forgetSecrets);
