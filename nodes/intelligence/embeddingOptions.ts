import { integer } from '../shared/operation/option';

/** Texts in one request where no option is set. */
export const DEFAULT_BATCH_SIZE = 100;

export const batchSize = integer({
	displayName: 'Batch Size',
	name: 'batchSize',
	limits: { min: 1, max: 2048 },
	default: DEFAULT_BATCH_SIZE,
	description:
		'Maximum number of texts in one request, over all items, 1 to 2048. A rejected batch is split in half.',
});

export const dimensions = integer({
	displayName: 'Dimensions',
	name: 'dimensions',
	limits: { min: 1 },
	default: 256,
	description: 'Number of dimensions of the vectors, for models that support a choice',
});
