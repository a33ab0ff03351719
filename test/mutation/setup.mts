import fc from 'fast-check';

/** A property is tried for so long with each mutant: most die in the first tries, and the many that do not would take hours. */
const MS_OF_A_PROPERTY = 2_000;

fc.configureGlobal({ interruptAfterTimeLimit: MS_OF_A_PROPERTY });
