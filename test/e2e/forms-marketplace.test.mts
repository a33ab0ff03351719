import { describeForms } from './formTests.mts';

await describeForms('marketplace');
